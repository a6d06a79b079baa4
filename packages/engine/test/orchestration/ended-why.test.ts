// `why` of ended executions and steps: how they ended, and the cause.

import { describe, expect, it } from "vitest";
import { skip } from "../../src/index.ts";
import type { TestEngine } from "../../src/testing/index.ts";
import { contract, runWorkflow } from "./recording-agents.ts";

async function whyTexts({ engine }: TestEngine, id: string, step?: string): Promise<readonly string[]> {
  return (await engine.why(id, step)).filter((each) => each.step === step).map(({ text }) => text);
}

describe("why of a step that has ended", () => {
  it("STATE-10 says the condition, the dependency and its failure, and what the attempt said", async () => {
    const { test } = await runWorkflow({ agents: { nothing: () => skip("nothing new") } });
    await using _ = test;
    const { id } = await test.start(
      contract(`
name: ends
onFailure: finish
steps:
  - { id: fine, agent: do }
  - { id: never, agent: do, when: "input.stock < \`3\`" }
  - { id: off, agent: do, enabled: false }
  - { id: quiet, agent: nothing }
  - { id: bad, agent: fail, onError: continue }
  - { id: needs, agent: do, dependsOn: [bad] }
  - { id: spare, agent: do }
  - { id: first, agent: do, fallback: spare }
`),
      { stock: 5 },
    );
    await test.advance("1h");
    expect(await whyTexts(test, id, "fine")).toEqual(["`fine` has ended: succeeded"]);
    expect(await whyTexts(test, id, "never")).toEqual([
      "`never` has ended: skipped, because its condition was false: input.stock < `3`",
    ]);
    expect(await whyTexts(test, id, "off")).toEqual([
      "`off` has ended: skipped, because it is disabled (`enabled: false`)",
    ]);
    expect(await whyTexts(test, id, "quiet")).toEqual([
      "`quiet` has ended: skipped, because its handler returned `skip`: nothing new",
    ]);
    expect(await whyTexts(test, id, "bad")).toEqual(["`bad` has ended: failed: it fails"]);
    expect(await whyTexts(test, id, "needs")).toEqual(["`needs` has ended: skipped, because `bad` failed: it fails"]);
    expect(await whyTexts(test, id, "spare")).toEqual([
      "`spare` has ended: skipped, because `first` needed no fallback",
    ]);
  });

  it("CANCEL-5 says whether it stopped by itself, by force, or had not begun, and why it was told to", async () => {
    const { test } = await runWorkflow();
    await using _ = test;
    const id = await cancelled(test);
    expect(await whyTexts(test, id, "kind")).toEqual([
      "`kind` has ended: cancelled: enough; it stopped by itself when it was asked to",
    ]);
    expect(await whyTexts(test, id, "deaf")).toEqual([
      "`deaf` has ended: cancelled: enough; it was asked to stop, did not stop, and was ended by force",
    ]);
    expect(await whyTexts(test, id, "later")).toEqual(["`later` has ended: cancelled: enough; it had not started"]);
    expect(await whyTexts(test, id)).toEqual(["the execution has ended: cancelled: enough"]);
  });

  it("STATE-7 says of what was skipped by a failure which step failed, and of an execution what it failed with", async () => {
    const { test } = await runWorkflow();
    await using _ = test;
    const { id } = await test.start(
      contract(`name: f\nsteps: [{ id: bad, agent: fail }, { id: other, wait: { signal: go } }]`),
    );
    await test.advance("1h");
    expect(await whyTexts(test, id, "other")).toEqual(["`other` has ended: skipped, because `bad` failed"]);
    expect(await whyTexts(test, id)).toEqual(["the execution has ended: failed: it fails"]);
  });
});

describe("why of a step that ended because another one failed", () => {
  it("STATE-10 says of what ran beside a failure why it was told to stop, and of what needed it that it failed", async () => {
    const { test } = await runWorkflow();
    await using _ = test;
    const { id } = await test.start(
      contract(`
name: f
steps:
  - { id: kind, agent: until }
  - { id: deaf, agent: hang }
  - { id: bad, agent: fail }
  - { id: needs, agent: do, dependsOn: [bad] }
`),
    );
    await test.advance("1h");
    expect(await whyTexts(test, id, "kind")).toEqual([
      "`kind` has ended: cancelled: `bad` failed; it stopped by itself when it was asked to",
    ]);
    expect(await whyTexts(test, id, "deaf")).toEqual([
      "`deaf` has ended: cancelled: `bad` failed; it was asked to stop, did not stop, and was ended by force",
    ]);
    expect(await whyTexts(test, id, "needs")).toEqual(["`needs` has ended: skipped, because `bad` failed: it fails"]);
  });
});

async function cancelled(test: TestEngine): Promise<string> {
  const handle = await test.start(
    contract(`
name: stops
steps:
  - { id: kind, agent: until }
  - { id: deaf, agent: hang }
  - { id: later, agent: do, dependsOn: [deaf] }
`),
  );
  await test.untilIdle();
  await handle.cancel({ reason: "enough" });
  await test.advance("1m");
  return handle.id;
}

describe("why of a step that was undone more than once", () => {
  it("STATE-9 answers once, of the last undoing, and says that the step was undone", async () => {
    const { test } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(
      contract(`
name: saga
onFailure: compensate
steps:
  - { id: a, agent: do, compensate: { agent: undo, input: a } }
  - { id: z, agent: fail, dependsOn: [a] }
`),
    );
    await test.advance("1h");
    await handle.retry();
    await test.advance("1h");
    expect(await whyTexts(test, handle.id, "a/compensate")).toEqual(["`a/compensate` has ended: succeeded"]);
    expect(await whyTexts(test, handle.id, "a")).toEqual(["`a` has ended: succeeded, and was undone"]);
  });
});
