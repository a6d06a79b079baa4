// Closing waits for exactly what it is told to wait for, and leaves nothing behind.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { executionId } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { Engine, type AgentFunction } from "../../src/index.ts";
import { MemoryStore } from "../../src/store/memory/memory-store.ts";
import { hang, openTestEngine, script, succeed } from "../../src/testing/index.ts";
import { scratchFolder } from "../stores/scratch-folder.ts";
import { ClockEngine } from "./clock-engine.ts";
import { SCENES } from "./close-worker.ts";
import { afterWaiting, flow, one, step } from "./sample-flow.ts";
import { PATIENCE_MS } from "../eventually.ts";

const scratch = scratchFolder();

/** The outcome of a promise; `waits` while it is pending. */
function watch(promise: Promise<unknown>): { outcome: string } {
  const seen = { outcome: "waits" };
  promise.then(
    () => (seen.outcome = "done"),
    (error: { code?: string }) => (seen.outcome = error.code ?? String(error)),
  );
  return seen;
}

describe("a close with `drainMs`", () => {
  it("JOURNAL-3 waits until the outcome of what runs is on record", async () => {
    await using test = await openTestEngine({ agents: { work: script([succeed("done", { after: "2s" })]) } });
    const { id } = await test.start(one());
    await test.untilIdle();
    const closing = watch(test.engine.close({ drainMs: 10_000 }));
    await test.advance("3s");
    expect(closing.outcome).toBe("done");
    await test.crash();
    expect((await (await test.get(id)).status()).steps[0]).toMatchObject({ status: "succeeded", attempts: 1 });
  });

  it("JOURNAL-3 waits for what runs, and no longer than that", async () => {
    await using test = await openTestEngine({ agents: { work: script([succeed("done", { after: "2s" })]) } });
    await test.start(one());
    await test.untilIdle();
    const closing = watch(test.engine.close({ drainMs: 10_000 }));
    await test.advance(1999);
    expect(closing.outcome).toBe("waits");
    await test.advance(1);
    expect(closing.outcome).toBe("done");
  });

  it("JOURNAL-3 waits no longer than it was told", async () => {
    await using test = await openTestEngine({ agents: { work: script([hang()]) } });
    await test.start(one());
    await test.untilIdle();
    const closing = watch(test.engine.close({ drainMs: 10_000 }));
    await test.advance(9999);
    expect(closing.outcome).toBe("waits");
    await test.advance(1);
    expect(closing.outcome).toBe("done");
  });

  it("JOURNAL-3 waits for nothing when nothing runs", async () => {
    await using test = await openTestEngine({ agents: { work: async () => 1 } });
    await test.start(one());
    await test.untilIdle();
    const closing = watch(test.engine.close({ drainMs: 10_000 }));
    await test.untilIdle();
    expect(closing.outcome).toBe("done");
  });

  it("JOURNAL-3 starts nothing new meanwhile, and the next process goes on from there", async () => {
    const next = script([succeed("next", { after: "1s" })]);
    await using test = await openTestEngine({ agents: { work: script([succeed("done", { after: "2s" })]), next } });
    const { id } = await test.start(flow([step("a"), step("b", { agent: "next", after: ["a"] })]));
    await test.untilIdle();
    const closing = watch(test.engine.close({ drainMs: 10_000 }));
    await test.advance("20s");
    expect([closing.outcome, next.calls.length]).toEqual(["done", 0]);
    await test.crash();
    await test.advance("1s");
    expect((await (await test.get(id)).status()).status).toBe("completed");
  });

  it("JOURNAL-3 leaves what it cut off to the next process", async () => {
    const work = script([hang(), succeed("done")]);
    await using test = await openTestEngine({ agents: { work } });
    const { id } = await test.start(one());
    await test.untilIdle();
    await test.engine.close();
    await test.crash();
    await test.untilIdle();
    expect(await (await test.get(id)).result()).toBe("done");
  });
});

describe("when an engine closes", () => {
  it("ENGINE_CLOSED every promise of a handle settles", async () => {
    const test = await openTestEngine({ agents: { work: script([hang()]) } });
    const handle = await test.start(one());
    await test.untilIdle();
    const events = (async () => {
      for await (const event of handle.events()) void event;
    })();
    const results = [handle.result(), handle.result(), events].map(watch);
    await test.untilIdle();
    const others = [handle.status(), handle.pause(), handle.signal("go")].map(watch);
    await test.engine.close();
    await test.advance("1h");
    expect(results.map(({ outcome }) => outcome)).toEqual(["ENGINE_CLOSED", "ENGINE_CLOSED", "ENGINE_CLOSED"]);
    expect(others.map(({ outcome }) => outcome)).not.toContain("waits");
  });

  it("ENGINE_CLOSED everything that is asked of it later is refused", async () => {
    const test = await openTestEngine({ agents: { work: script([hang()]) } });
    const handle = await test.start(one());
    const { engine } = test;
    await engine.close();
    const asked = [
      engine.start(one()),
      engine.get(handle.id),
      engine.list(),
      handle.result(),
      handle.cancel(),
      handle.pause(),
      handle.signal("go"),
    ].map(watch);
    await test.untilIdle();
    expect(asked.map(({ outcome }) => outcome)).toEqual(asked.map(() => "ENGINE_CLOSED"));
  });

  it("JOURNAL-1 nothing is written, called or told any more", async () => {
    let end: (value: unknown) => void = () => undefined;
    const work: AgentFunction = () => new Promise((resolve) => (end = resolve));
    const faults: unknown[] = [];
    const test = await openTestEngine({ agents: { work }, onFault: (error) => faults.push(error) });
    const seen: string[] = [];
    const { id } = await test.start(one());
    await test.untilIdle();
    test.engine.subscribe({}, ({ events }) => void seen.push(...events.map(({ kind }) => kind)));
    await test.engine.close();
    await test.engine.close();
    expect(seen).toEqual(["step.lost"]);
    end("too late");
    await test.advance("1h");
    expect([seen, faults]).toEqual([["step.lost"], []]);
    await test.crash();
    expect((await (await test.get(id)).status()).steps[0]!.status).not.toBe("succeeded");
  });
});

describe("what an engine that was closed leaves behind", () => {
  it("JOURNAL-3 nothing is left to be called back when an execution was due in that moment", async () => {
    const store = new MemoryStore();
    const test = new ClockEngine({ work: async () => "done" }, store);
    await test.open();
    const { id } = await test.during(test.engine.start(afterWaiting(1000)));
    await test.restart();
    await store.quarantine(executionId(id), "damaged");
    await test.world.advance(999);
    await test.world.step();
    const closing = test.engine.close();
    const left = closing.then(() => test.world.nextInMs);
    await test.during(closing);
    expect(await left).toBeUndefined();
  });

  it("JOURNAL-3 `await using` closes it", async () => {
    const file = scratch.file();
    let used: Engine;
    {
      await using engine = await Engine.open({ file, agents: { work: async () => "done" } });
      used = engine;
      expect(await (await engine.start(one())).result()).toBe("done");
    }
    await expect(used.start(one())).rejects.toMatchObject({ code: "ENGINE_CLOSED" });
    await using next = await Engine.open({ file });
    expect(next.isOwner).toBe(true);
  });
});

describe("a process that has closed its engine", () => {
  it.each(SCENES)("ends by itself: %s", async (scene) => {
    const worker = spawn(process.execPath, [join(import.meta.dirname, "close-worker.ts"), scene, scratch.file()], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const exit = once(worker, "exit");
    const closed = once(worker.stdout, "data");
    expect(String((await Promise.race([closed, exit]))[0])).toBe("closed\n");
    const guard = setTimeout(() => worker.kill("SIGKILL"), PATIENCE_MS);
    expect(await exit).toEqual([0, null]);
    clearTimeout(guard);
  });
});

describe("what runs when an engine closes", () => {
  it("CANCEL-2 what is being cancelled is cancelled by force", async () => {
    const test = await openTestEngine({ agents: { work: script([hang()]) } });
    const handle = await test.start(one());
    await test.untilIdle();
    const result = watch(handle.result());
    await handle.cancel();
    await test.engine.close();
    expect(result.outcome).toBe("EXECUTION_CANCELLED");
  });
});
