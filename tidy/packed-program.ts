// A program of a user, in one file: strict types, and every part that a bundler has to find. The test of the packed packages
// copies it into a project, type-checks it there and bundles it.

import { SegnoError as KernelError } from "@segno/kernel";
import {
  Engine,
  loadContract,
  SegnoError,
  workflow,
  type Definition,
  type FailureOptions,
  type Ownership,
  type SecretSource,
  type StepContext,
  type Store,
} from "segno";
import { executeBatch } from "segno/batch";
import { createEngine } from "segno/engines";
import { compileOrThrow, createState, executionStatus } from "segno/kernel";
import { action } from "segno/planner";
import { openTestEngine } from "segno/testing";

const checked: Definition = loadContract(`
name: checked
input:
  type: object
  required: [tag]
  properties: { tag: { type: string, pattern: "^v[0-9]+$" }, at: { type: string, format: date } }
steps: [{ id: say, run: 'echo "$TAG"', env: { TAG: "\${ input.tag }" } }]
output: \${ steps.say.output.stdout }
`);

const older: Definition = loadContract(`
name: older
input: { $schema: "http://json-schema.org/draft-07/schema", type: object, required: [tag] }
steps: [{ id: wait, wait: { for: 1ms } }]
`);

const built = workflow<{ n: number }>("built")
  .step("twice", ({ input }: StepContext<{ n: number }>) => input.n * 2)
  .step("text", { dependsOn: ["twice"] }, ({ outputs }) => `${outputs.twice.toFixed(1)} is the answer`)
  .output(({ outputs }) => outputs.text);

/** The parts of the options have names that a program can write. */
interface Parts {
  readonly store?: Store;
  readonly ownership?: Ownership;
  readonly secrets?: SecretSource;
  readonly failure?: FailureOptions;
}
const parts: Parts = {};

async function refusal(start: Promise<unknown>): Promise<string> {
  try {
    await start;
    return "started";
  } catch (error) {
    return error instanceof SegnoError && error instanceof KernelError ? error.code : "another class";
  }
}

async function program(): Promise<void> {
  const engine = await Engine.open({ file: "journal.db" });
  const said = await engine.start(checked, { tag: "v1", at: "2026-01-01" });
  console.log(await said.result());
  console.log(await refusal(engine.start(checked, { tag: "w1" })));
  console.log(await refusal(engine.start(older, {})));
  const text: string = await (await engine.start(built, { n: 21 })).result();
  console.log(text);
  console.log(executionStatus(createState(compileOrThrow(checked))), Object.keys(parts).length);
  console.log([executeBatch, createEngine, action, openTestEngine].map((each) => typeof each).join(" "));
  await engine.close();
}

void program();
