// Stopping executions with real processes and threads: cancel, drain, pause, and closing the engine.

import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { openTestEngine } from "../../src/testing/index.ts";
import { readEvents, eventKinds } from "../engine/sample-flow.ts";
import { contract, ending, isAlive, reaches, useFixture, statuses, findStep, pollUntil } from "./fixture.ts";

const fixture = useFixture();

/** Writes its pid once it handles signals, and then each signal that it gets. */
const WELL_BEHAVED = `
name: polite
steps:
  - id: work
    run: |
      trap 'echo told >> told; exit 0' TERM
      echo $$ >> pids
      while :; do sleep 0.01; done
  - { id: next, run: "echo > ran", dependsOn: [work] }
`;

const STUBBORN = `
name: stubborn
steps:
  - id: work
    run: |
      trap 'echo told >> told' TERM
      setsid sh -c 'trap "" TERM; echo $$ >> pids; while :; do sleep 1; done' &
      sh -c 'trap "" TERM; echo $$ >> pids; while :; do sleep 1; done' &
      echo $$ >> pids
      while :; do sleep 0.01 || :; done
`;

describe("a command whose execution is cancelled", () => {
  it("CANCEL-2 CANCEL-5 gets SIGTERM; its exit within the grace period counts, and the execution is cancelled", async () => {
    const handle = await fixture.current.start(WELL_BEHAVED);
    await fixture.current.wrote("pids");
    expect(await handle.cancel()).toEqual({ kind: "accepted" });
    await expect(handle.result()).rejects.toMatchObject({ code: "EXECUTION_CANCELLED" });
    expect(fixture.current.text("told")).toBe("told\n");
    expect(await statuses(handle)).toEqual({ work: "succeeded", next: "cancelled" });
    expect(fixture.current.has("ran")).toBe(false);
    expect(await isAlive(Number(fixture.current.text("pids")))).toBe(false);
  });

  it("CANCEL-2 CANCEL-5 that ignores SIGTERM is killed after the grace period, with all its children", async () => {
    await using test = await openTestEngine({ cwd: fixture.current.folder });
    const handle = await test.start(contract(STUBBORN));
    await fixture.current.wrote("pids", 3);
    const pids = fixture.current.numbers("pids");
    await handle.cancel({ graceMs: 150 });
    await fixture.current.wrote("told");
    expect((await findStep(handle, "work")).status).toBe("cancelling");
    await test.advance(150);
    expect(await ending(handle)).toBe("cancelled");
    const [told] = await readEvents(handle, "steps.cancelling");
    const [ended] = await readEvents(handle, "step.cancelled");
    expect(ended).toMatchObject({ ended: "by-force" });
    expect(ended!.at - told!.at).toBe(150);
    expect(fixture.current.text("told")).toBe("told\n");
    await test.engine.close();
    expect(await Promise.all(pids.map(isAlive))).toEqual([false, false, false]);
  });

  it("CANCEL-2 has exactly five seconds by default", async () => {
    const handle = await fixture.current.start(STUBBORN);
    await fixture.current.wrote("pids", 3);
    await handle.cancel();
    const [told] = await readEvents(handle, "steps.cancelling");
    expect(told!.forceAt - told!.at).toBe(5000);
    expect(await readEvents(handle, "execution.cancelling")).toMatchObject([{ mode: "abort", grace: 5000 }]);
  });

  it("CANCEL-6 twice, or after its end, returns its state", async () => {
    const handle = await fixture.current.start(WELL_BEHAVED);
    await fixture.current.wrote("pids");
    await handle.cancel();
    expect(await handle.cancel()).toMatchObject({ kind: "ignored", status: "cancelling" });
    expect(await ending(handle)).toBe("cancelled");
    expect(await handle.cancel()).toMatchObject({ kind: "ignored", status: "cancelled" });
    expect(fixture.current.text("told")).toBe("told\n");
  });

  it("CANCEL-4 while it waits for a retry is cancelled at once", async () => {
    const handle = await fixture.current.start(
      "name: flaky\nsteps:\n  - { id: a, run: exit 75, retry: { attempts: 2, base: 1h, max: 1h } }\n",
    );
    await reaches(handle, "a", "retrying");
    await handle.cancel();
    expect(await ending(handle)).toBe("cancelled");
    expect((await findStep(handle, "a")).attempts).toBe(1);
  });
});

describe("other stops", () => {
  it("CANCEL-3 drain lets a command end normally, and cancels the rest", async () => {
    const handle = await fixture.current.start(`
name: drained
steps:
  - { id: work, run: 'trap "echo told >> told" TERM; echo > up; while [ ! -e go ]; do sleep 0.01; done; echo done' }
  - { id: next, run: "echo > ran", dependsOn: [work] }
`);
    await fixture.current.wrote("up");
    await handle.cancel({ mode: "drain" });
    fixture.current.write("go", "");
    expect(await ending(handle)).toBe("cancelled");
    expect(await statuses(handle)).toEqual({ work: "succeeded", next: "cancelled" });
    expect(fixture.current.text("told")).toBe("");
    expect(fixture.current.has("ran")).toBe(false);
  });

  it("CANCEL-7 pause lets a command end, starts nothing new and survives a restart, and resume continues", async () => {
    const yaml = `
name: paused
steps:
  - { id: work, run: "echo > up; while [ ! -e go ]; do sleep 0.01; done" }
  - { id: next, run: "echo on >> ran", dependsOn: [work] }
`;
    const first = await fixture.current.open();
    const handle = await first.start(contract(yaml));
    await fixture.current.wrote("up");
    await handle.pause();
    fixture.current.write("go", "");
    await reaches(handle, "work", "succeeded");
    await first.close();
    const second = await fixture.current.open();
    const again = await second.get(handle.id);
    expect((await again.status()).status).toBe("paused");
    expect(await second.why(handle.id)).toMatchObject([
      { step: undefined, reason: { kind: "paused" } },
      { step: "next" },
    ]);
    expect(fixture.current.has("ran")).toBe(false);
    await again.resume();
    await again.result();
    expect(fixture.current.lines("ran")).toEqual(["on"]);
  });

  it("CANCEL-2 a thread in an endless loop is terminated after the grace period", async () => {
    fixture.current.write("spin.mjs", "export default () => { for (;;); };\n");
    const engine = await fixture.current.open();
    const handle = await engine.start(
      contract(
        "name: spins\nagents: { spin: { module: ./spin.mjs, thread: true } }\nsteps: [{ id: a, agent: spin }]\n",
      ),
    );
    await reaches(handle, "a", "running");
    await handle.cancel({ graceMs: 50 });
    expect(await ending(handle)).toBe("cancelled");
    expect(await readEvents(handle, "step.cancelled")).toMatchObject([{ ended: "by-force" }]);
  });
});

describe("an engine that closes", () => {
  const restarted = `
name: restarted
steps:
  - id: work
    run: |
      exec 9>>lock; flock -n 9 || echo two at once >> overlaps
      echo $$ >> pids
      [ -e go ] || sleep 1000
      echo "attempt $SEGNO_ATTEMPT"
output: \${ steps.work.output.stdout }
`;

  it("CANCEL-2 JOURNAL-3 kills its commands, and the next one starts them again under a higher epoch", async () => {
    const first = await fixture.current.open();
    const { id } = await first.start(contract(restarted));
    await fixture.current.wrote("pids");
    await first.close();
    expect(await isAlive(fixture.current.numbers("pids")[0]!)).toBe(false);
    fixture.current.write("go", "");
    const second = await fixture.current.open();
    const handle = await second.get(id);
    expect(await handle.result()).toBe("attempt 1");
    expect(await eventKinds(handle)).toContain("step.lost");
    expect(await findStep(handle, "work")).toMatchObject({ attempts: 1, epoch: 2 });
    expect(fixture.current.text("overlaps")).toBe("");
  });

  it("JOURNAL-1 with a drain time lets a command end, and its outcome is recorded", async () => {
    const first = await fixture.current.open();
    const { id } = await first.start(contract(restarted));
    await fixture.current.wrote("pids");
    const closing = first.close({ drainMs: 60_000 });
    fixture.current.write("go", "");
    // The command sleeps until its child `sleep` ends; the engine does not touch that child.
    process.kill(await findChild(fixture.current.numbers("pids")[0]!), "SIGKILL");
    await closing;
    const second = await fixture.current.open();
    const failure = (await second.get(id)).result();
    await expect(failure).rejects.toMatchObject({ failure: { code: "COMMAND_FAILED" } });
    expect(fixture.current.numbers("pids")).toHaveLength(1);
  });

  it("FAIL-9 gracefully, however often, has not lost its attempts: they start again", async () => {
    const yaml = "name: again\nsteps:\n  - { id: work, run: 'echo $$ >> pids; sleep 1000' }\n";
    let engine = await fixture.current.open();
    const { id } = await engine.start(contract(yaml));
    for (let round = 1; round <= 6; round++) {
      await fixture.current.wrote("pids", round);
      await engine.close();
      engine = await fixture.current.open();
    }
    await fixture.current.wrote("pids", 7);
    const handle = await engine.get(id);
    expect(await handle.status()).toMatchObject({ status: "running", steps: [{ attempts: 1, epoch: 7 }] });
    await handle.cancel({ graceMs: 0 });
  });
});

async function findChild(pid: number): Promise<number> {
  let child = 0;
  await pollUntil(async () => {
    child = Number((await readFile(`/proc/${pid}/task/${pid}/children`, "utf8")).trim());
    return child > 0;
  }, "its child");
  return child;
}
