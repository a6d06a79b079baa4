// examples/kernel/kernel.ts
import { readFileSync } from "node:fs";
import { createSchemaCheck, definitionHash, loadContract } from "segno";
import * as kernel from "segno/kernel";

const hello = loadContract(readFileSync("examples/hello/hello.yaml"), { file: "hello.yaml" });
const state = kernel.createState(kernel.compileOrThrow(hello));
const values = { value: () => undefined, checkSchema: createSchemaCheck() };
const at = kernel.epochMs(0);
const input = kernel.inlineValue({ name: "Ada" });
const ids = { execution: kernel.executionId("hello-1"), definition: definitionHash(hello), correlationId: "demo" };

const happenings: kernel.Happening[] = [
  { kind: "create", at, input, seed: 1, ...ids },
  { kind: "begin", at },
];
for (const happening of happenings) {
  for (const effect of kernel.advance(state, happening, values).effects) {
    if (effect.kind === "admit") happenings.push({ kind: "granted", at, step: effect.step });
    if (effect.kind !== "run") continue;
    console.log("run", kernel.stepName(state, effect.step), JSON.stringify(effect.call));
    const outcome = { kind: "succeeded", output: kernel.inlineValue("Hello, Ada") } as const;
    happenings.push({ kind: "ended", at, step: effect.step, epoch: effect.epoch, outcome });
  }
}
console.log("the execution is", kernel.executionStatus(state));
