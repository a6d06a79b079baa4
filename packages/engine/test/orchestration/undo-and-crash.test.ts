// A process that dies during a compensation: each compensation counts once, and runs again only with its own token
// (JOURNAL-3, IDEM-4).

import { describe, expect, it } from "vitest";
import { Engine, expand, type AgentFunction } from "../../src/index.ts";
import { openTestEngine, inspectAdmission } from "../../src/testing/index.ts";
import { readHistory } from "../engine/sample-flow.ts";
import { scratchFolder } from "../stores/scratch-folder.ts";
import { contract, runWorkflow, RecordingAgents } from "./recording-agents.ts";

const scratch = scratchFolder();

const MANY = contract(`
name: many
onFailure: compensate
steps:
  - { id: a, agent: do, input: a, compensate: { agent: undo, input: a } }
  - { id: b, agent: do, input: b, dependsOn: [a], compensate: { agent: gate, input: b } }
  - { id: m, dependsOn: [b], map: { over: input, concurrency: 1, steps: [{ id: w, agent: do, compensate: { agent: undo, input: "\${ item }" } }] } }
  - { id: z, agent: fail, dependsOn: [m] }
`);

describe("a crash in the middle of undoing", () => {
  it("JOURNAL-3 FAIL-8 goes on where it was: what was undone is not undone again, what ran runs again with its token", async () => {
    const { test, recording } = await runWorkflow();
    await using _ = test;
    const { id } = await test.start(MANY, ["p", "q"]);
    await test.untilIdle();
    expect(recording.by("undo")).toEqual(["q", "p"]);
    await test.crash();
    await test.untilIdle();
    const gates = recording.tokens.filter(([said]) => said === "gate b/compensate");
    expect(gates).toHaveLength(2);
    expect(gates[0]).toEqual(gates[1]);
    recording.pass("b/compensate");
    await test.advance("1h");
    const handle = await test.get(id);
    expect([recording.by("undo"), (await handle.status()).status]).toEqual([["q", "p", "a"], "failed"]);
    const done = (await readHistory(handle)).flatMap(({ kind, step }) =>
      kind === "step.completed" && step!.endsWith("/compensate") ? [step] : [],
    );
    expect(done).toEqual(["m/1/compensate", "m/0/compensate", "b/compensate", "a/compensate"]);
  });

  it("JOURNAL-3 the same on a file that is closed and opened again, also after a cancel", async () => {
    const file = scratch.file();
    const recording = new RecordingAgents();
    const options = { file, agents: recording.agents, durability: "relaxed" } as const;
    const first = await Engine.open(options);
    const { id } = await first.start(MANY, ["p"]);
    while (recording.by("gate").length === 0) await new Promise((resolve) => setImmediate(resolve));
    await (await first.get(id)).cancel({ compensate: true });
    await first.close();
    expect(recording.by("undo")).toEqual(["p"]);
    await using second = await Engine.open(options);
    while (recording.by("gate").length === 1) await new Promise((resolve) => setImmediate(resolve));
    recording.pass("b/compensate");
    const handle = await second.get(id);
    await expect(handle.result()).rejects.toMatchObject({ code: "EXECUTION_CANCELLED" });
    expect(recording.by("undo")).toEqual(["p", "a"]);
    const [one, two] = recording.tokens.filter(([said]) => said === "gate b/compensate");
    expect(one).toEqual(two);
  });

  it("IDEM-4 the undoing of a step has another token than the step, the same in all its attempts", async () => {
    const tokens: string[] = [];
    const { test } = await runWorkflow({
      agents: {
        both: (_, { token, attempt, step }) => {
          tokens.push(token);
          if (step.id === "a/compensate" && attempt < 3) throw new Error("not yet");
          return null;
        },
      },
    });
    await using _ = test;
    await test.start(
      contract(`
name: tokens
onFailure: compensate
steps:
  - { id: a, agent: both, input: same, compensate: { agent: both, input: same } }
  - { id: z, agent: fail, dependsOn: [a] }
`),
    );
    await test.advance("1h");
    expect([tokens.length, new Set(tokens).size, new Set(tokens.slice(1)).size]).toEqual([4, 2, 1]);
  });
});

describe("a step that opened in an earlier round and is an attempt in this one", () => {
  it("JOURNAL-3 STATE-2 is lost in a crash as any attempt, also while it is being cancelled", async () => {
    const recording = new RecordingAgents();
    let calls = 0;
    const openFirst: AgentFunction = (_, context) =>
      ++calls === 1 ? expand([{ id: "x", agent: "do" }]) : recording.agents["hang"]!(null, context);
    await using test = await openTestEngine({ agents: { ...recording.agents, openFirst } });
    const workflow = contract(`
name: again
onFailure: compensate
steps:
  - { id: a, agent: openFirst, compensate: { agent: undo, input: a } }
  - { id: z, agent: fail, dependsOn: [a] }
`);
    const handle = await test.start(workflow);
    await test.advance("1m");
    await handle.retry();
    await test.untilIdle();
    await handle.cancel();
    await test.crash();
    await test.untilIdle();
    expect([calls, (await (await test.get(handle.id)).status()).status]).toEqual([2, "cancelled"]);
    expect(inspectAdmission(test.engine).usedSlots).toBe(0);
  });
});
