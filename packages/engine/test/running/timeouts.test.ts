// Steps that exceed their deadline: real processes and functions in virtual time. They are told to stop and may clean
// up.

import { describe, expect, it } from "vitest";
import { openTestEngine, type TestEngine } from "../../src/testing/index.ts";
import { readEvents } from "../engine/sample-flow.ts";
import { contract, ending, isAlive, useFixture, findStep } from "./fixture.ts";

const fixture = useFixture();

async function startScript(test: TestEngine, script: string, rest = "") {
  return test.start(
    contract(`
name: slow
steps:
  - id: work
    timeout: 1s
    ${rest}
    run: |
      cd ${fixture.current.folder}
      ${script}
`),
  );
}

describe("a command that exceeds its deadline", () => {
  it("FAIL-4 CANCEL-2 gets SIGTERM, its trap runs, and the step has timed out whatever its exit (ruling 50)", async () => {
    await using test = await openTestEngine();
    const handle = await startScript(
      test,
      "trap 'echo told >> told; exit 0' TERM; echo up >> up; while :; do sleep 0.01; done",
    );
    await fixture.current.wrote("up");
    await test.advance("1s");
    expect(await ending(handle)).toBe("failed");
    expect(fixture.current.lines("told")).toEqual(["told"]);
    expect((await findStep(handle, "work")).detail).toMatchObject({
      kind: "failure",
      failure: { class: "timeout", code: "ATTEMPT_TIMEOUT", message: "the attempt took longer than 1000 ms" },
    });
  });

  it("FAIL-4 CANCEL-2 that ignores SIGTERM is killed after the grace period", async () => {
    await using test = await openTestEngine();
    const handle = await startScript(
      test,
      "trap 'echo told >> told' TERM; echo $$ >> pids; while :; do sleep 0.01 || :; done",
    );
    await fixture.current.wrote("pids");
    await test.advance("1s");
    await fixture.current.wrote("told");
    expect((await findStep(handle, "work")).status).toBe("cancelling");
    await test.advance(4999);
    expect((await findStep(handle, "work")).status).toBe("cancelling");
    await test.advance(1);
    expect((await handle.status()).failure).toMatchObject({ code: "ATTEMPT_TIMEOUT" });
    await test.engine.close();
    expect(await isAlive(fixture.current.numbers("pids")[0]!)).toBe(false);
  });

  it("FAIL-2 FAIL-4 is retried when it has stopped, and never beside its previous attempt", async () => {
    await using test = await openTestEngine();
    const handle = await startScript(
      test,
      "trap 'echo end >> log; exit 1' TERM; echo begin >> log; while :; do sleep 0.01; done",
      "retry: { attempts: 2, base: 1s, on: [timeout] }",
    );
    await fixture.current.wrote("log", 1);
    await test.advance("1s");
    await fixture.current.wrote("log", 2);
    while ((await findStep(handle, "work")).status !== "retrying") await test.untilIdle();
    await test.advance("1s");
    await fixture.current.wrote("log", 3);
    await test.advance("1s");
    expect(await ending(handle)).toBe("failed");
    expect(fixture.current.lines("log")).toEqual(["begin", "end", "begin", "end"]);
    expect(await readEvents(handle, "step.overdue")).toHaveLength(2);
  });
});

describe("a function that exceeds its deadline", () => {
  const FLOW = contract("name: f\nsteps: [{ id: work, agent: work, timeout: 1s }]");

  it("FAIL-4 CANCEL-1 gets its signal and the grace period to stop; its return value is ignored", async () => {
    const heard: string[] = [];
    const work = (_: unknown, { signal }: { readonly signal: AbortSignal }): Promise<string> =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          heard.push((signal.reason as Error).message);
          resolve("all the same");
        });
      });
    await using test = await openTestEngine({ agents: { work } });
    const handle = await test.start(FLOW);
    await test.advance("1s");
    expect([heard, await ending(handle)]).toEqual([["the attempt took longer than 1000 ms"], "failed"]);
    expect(await readEvents(handle, "step.failed")).toMatchObject([{ failure: { code: "ATTEMPT_TIMEOUT" } }]);
    expect(await readEvents(handle, "step.completed")).toEqual([]);
  });

  it("STATE-10 SCHED-7 shows while it stops why, and when it is ended by force", async () => {
    await using test = await openTestEngine({ agents: { work: () => new Promise(() => undefined) } });
    const handle = await test.start(FLOW);
    await test.advance("3s");
    expect((await test.engine.why(handle.id, "work")).map(({ text }) => text)).toEqual([
      "`work` was asked to stop: the attempt took longer than 1000 ms; it has time to clean up and is ended by force in 3 s",
    ]);
    await test.advance("3s");
    expect(await ending(handle)).toBe("failed");
  });

  it("FAIL-4 JOURNAL-3 has timed out even after a crash within the grace period", async () => {
    await using test = await openTestEngine({ agents: { work: () => new Promise(() => undefined) } });
    const { id } = await test.start(FLOW);
    await test.advance("3s");
    await test.crash();
    await test.advance(0);
    const handle = await test.get(id);
    expect(await handle.status()).toMatchObject({ status: "failed", failure: { code: "ATTEMPT_TIMEOUT" } });
    expect(await readEvents(handle, "step.lost")).toEqual([]);
  });

  it("FAIL-6 counts for the breaker of its agent, also if it stops by itself", async () => {
    const agents = { work: (_: unknown, { signal }: { readonly signal: AbortSignal }) => stopped(signal) };
    await using test = await openTestEngine({ agents });
    const flow = contract(`
name: f
agents: { work: { breaker: { failures: 1, cooldown: 1h } } }
steps: [{ id: work, agent: work, timeout: 1s }]
`);
    await test.start(flow);
    await test.advance("1s");
    const next = await test.start(flow);
    await test.untilIdle();
    expect((await test.engine.why(next.id, "work")).map(({ reason }) => reason.kind)).toEqual(["breaker"]);
  });
});

function stopped(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
}
