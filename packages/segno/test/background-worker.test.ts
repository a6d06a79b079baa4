// The worker that `--detach` starts in the background.

import { readFileSync } from "node:fs";
import { Engine } from "@segno/engine";
import { OwnerLock } from "@segno/engine/owner-lock";
import { stepId, type Definition } from "@segno/kernel";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { createView } from "../src/live/create-view.ts";
import { SkippedExecutions } from "../src/live/skipped-executions.ts";
import { StopSignals } from "../src/live/stop-signals.ts";
import { runInBackground } from "../src/sessions/background-session.ts";
import * as workLoop from "../src/sessions/work-loop.ts";
import { createTerminal } from "../src/terminal/terminal.ts";
import * as backgroundWorker from "../src/worker/background-worker.ts";
import { CommandFixture } from "./command-fixture.ts";

vi.mock(import("../src/sessions/work-loop.ts"), { spy: true });
vi.mock(import("../src/worker/background-worker.ts"), { spy: true });

const WAITS: Definition = {
  name: "waits",
  steps: [{ id: stepId("s"), action: { kind: "wait", on: "signal", signal: "go" } }],
};

let shop: CommandFixture;
beforeEach(async () => void (shop = await CommandFixture.open()));
afterEach(async () => {
  vi.restoreAllMocks();
  await shop[Symbol.asyncDispose]();
});

const workLog = (): string => readFileSync(shop.path(".segno/work.log"), "utf8");
const count = (text: string, pattern: RegExp): number => [...text.matchAll(pattern)].length;

describe("executions that are started in the background", () => {
  it("BW1 have one worker, however many there are", async () => {
    for (const id of ["a", "b", "c"])
      expect(await shop.run(["run", "endless.yaml", "--detach", "--id", id])).toMatchObject({ exitCode: 0 });
    await expect.poll(() => count(workLog(), /another background worker runs/gu), { timeout: 60_000 }).toBe(2);
    for (const id of ["a", "b", "c"]) await shop.run(["cancel", id]);
    await expect.poll(() => count(workLog(), /nothing to do\n/gu), { timeout: 60_000 }).toBe(1);
  });
});

describe("a background worker that has nothing left to do", () => {
  /** Runs a background worker whose work is this; returns whether it started another worker, and whether the lock was free. */
  async function runWith(work: () => Promise<void>): Promise<readonly boolean[]> {
    const db = shop.path("segno.db");
    const frees: boolean[] = [];
    const terminal = createTerminal("never");
    const view = createView(terminal, { quiet: true });
    vi.mocked(workLoop.runWorker).mockImplementation(async () => {
      expect(OwnerLock.tryAcquire(`${db}-background`)).toBeUndefined();
      await work();
      return { isIdle: true, skipped: new SkippedExecutions(view) };
    });
    vi.mocked(backgroundWorker.startWorker).mockImplementation(async () => {
      const lock = OwnerLock.tryAcquire(`${db}-background`);
      frees.push(lock !== undefined);
      lock?.close();
    });
    using signals = new StopSignals();
    await runInBackground({ options: { db }, terminal, view, signals });
    return frees;
  }

  const start = async (isCancelled: boolean): Promise<void> => {
    await using engine = await Engine.open({ file: shop.path("segno.db") });
    const handle = await engine.start(WAITS, null, {});
    if (isCancelled) await handle.cancel();
    if (isCancelled) await handle.result().catch(() => undefined);
  };

  it("BW2 starts another one for an execution that came in the last moment, after it has freed the lock", async () => {
    expect(await runWith(() => start(false))).toEqual([true]);
  });

  it("BW2 ends if there is no such execution", async () => {
    expect(await runWith(() => start(true))).toEqual([]);
  });
});
