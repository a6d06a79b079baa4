// examples/kernel/kernel.ts
import { readFileSync } from "node:fs";
import * as segno from "segno";

const hello = segno.loadContract(readFileSync("examples/hello/hello.yaml"), { file: "hello.yaml" });
const state = segno.createState(segno.compileOrThrow(hello));
const world = { value: () => undefined, check: segno.createSchemaCheck() };
const at = segno.epochMs(0);
const input = segno.inline({ name: "Ada" });
const ids = { execution: segno.executionId("hello-1"), definition: segno.definitionHash(hello), correlationId: "demo" };

const happenings: segno.Happening[] = [
  { kind: "create", at, input, seed: 1, ...ids },
  { kind: "begin", at },
];
for (const happening of happenings) {
  for (const effect of segno.advance(state, happening, world).effects) {
    if (effect.kind === "admit") happenings.push({ kind: "granted", at, step: effect.step });
    if (effect.kind !== "run") continue;
    console.log("run", segno.stepName(state, effect.step), JSON.stringify(effect.call));
    const outcome = { kind: "succeeded", output: segno.inline("Hello, Ada") } as const;
    happenings.push({ kind: "ended", at, step: effect.step, epoch: effect.epoch, outcome });
  }
}
console.log("the execution is", segno.executionStatus(state));
