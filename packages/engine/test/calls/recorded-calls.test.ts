// Calls that a handler makes with `run`, and that its journal records (STATE-14).

import { describe, expect, it } from "vitest";
import { workflow, map, type Engine, type RunCall } from "../../src/index.ts";
import { openTestEngine } from "../../src/testing/index.ts";
import { useFixture } from "../running/fixture.ts";

const fixture = useFixture();
const TWICE = { retry: { attempts: 2, base: "1ms" } } as const;

/** One step; its first attempt fails when `work` has returned. */
function failingOnce(work: (run: RunCall) => Promise<unknown>) {
  return workflow("flow")
    .step("work", TWICE, async ({ run, attempt }) => {
      const value = await work(run);
      if (attempt === 1) throw new Error("not yet");
      return value as never;
    })
    .output(({ outputs }) => outputs.work);
}

async function resultOf(flow: ReturnType<typeof failingOnce>, engine?: Engine): Promise<unknown> {
  return (await (engine ?? (await fixture.current.open())).start(flow, null)).result();
}

describe("a recorded call", () => {
  it("STATE-14 is made once, although its step is tried again; a repeated name gets a number", async () => {
    const made: string[] = [];
    const flow = failingOnce(async (run) => {
      const plan = await run("plan", () => made.push("plan"));
      const words: number[] = [];
      for (let turn = 0; turn < 3; turn++) words.push(await run("word", () => made.push(`word ${turn}`)));
      return { plan, words };
    });
    const engine = await fixture.current.open();
    const handle = await engine.start(flow, null, { id: "mine" });
    expect(await handle.result()).toEqual({ plan: 1, words: [2, 3, 4] });
    expect(made).toEqual(["plan", "word 0", "word 1", "word 2"]);
    const { steps } = await handle.status();
    const { calls = [] } = steps.find(({ name }) => name === "work")!;
    expect(calls.map(({ name }) => name)).toEqual(["plan", "word", "word#2", "word#3"]);
    for (const { startedAt, completedAt } of calls) expect(completedAt).toBeGreaterThanOrEqual(startedAt);
    expect(await engine.verify("mine")).toMatchObject({ ok: true, findings: [] });
  });

  it("STATE-14 has the name of its position, although calls of one name run at the same time", async () => {
    const made: number[] = [];
    const flow = failingOnce((run) =>
      Promise.all(
        [30, 1, 10].map((ms, index) =>
          run("item", async () => {
            await new Promise((resolve) => setTimeout(resolve, ms));
            made.push(index);
            return index;
          }),
        ),
      ),
    );
    expect(await resultOf(flow)).toEqual([0, 1, 2]);
    expect(made).toEqual([1, 2, 0]);
  });

  it("STATE-14 is made again by the next attempt if it failed", async () => {
    let made = 0;
    const flow = workflow("flow")
      .step("work", TWICE, ({ run }) =>
        run("plan", () => {
          if (++made === 1) throw new Error("no answer");
          return made;
        }),
      )
      .output(({ outputs }) => outputs.work);
    expect(await (await (await fixture.current.open()).start(flow, null)).result()).toBe(2);
  });

  it("DATA-8 gives the first caller what later ones get: JSON that cannot be changed, and null for nothing", async () => {
    const seen: unknown[] = [];
    const flow = failingOnce(async (run) => {
      const [plain, nothing] = [await run("plain", () => ({ list: [1] })), await run("nothing", () => undefined)];
      seen.push(plain, nothing, Object.isFrozen(plain.list));
      return null;
    });
    await resultOf(flow);
    expect(seen).toEqual([{ list: [1] }, null, true, { list: [1] }, null, true]);
  });
});

describe("a recorded call", () => {
  it("JOURNAL-4 may have a value that is stored outside its row", async () => {
    let made = 0;
    const flow = failingOnce(async (run) => (await run("large", () => `${++made}`.repeat(200_000))).length);
    const engine = await fixture.current.open();
    expect(await (await engine.start(flow, null, { id: "mine" })).result()).toBe(200_000);
    expect(made).toBe(1);
    expect(await engine.verify("mine")).toMatchObject({ ok: true, findings: [] });
  });

  it("STATE-14 works in the items of a map, in compensations and without a store", async () => {
    const engine = await fixture.current.open({ store: "none", file: undefined as never });
    const flow = workflow("flow", { onFailure: "compensate" })
      .step(
        "items",
        map([1, 2], ({ item, run }) => run("double", () => item * 2)),
      )
      .step("fails", { dependsOn: ["items"], retry: 1 }, () => Promise.reject(new Error("it failed")))
      .compensate("items", ({ output, run }) => run("undo", () => void undone.push(output)));
    const undone: unknown[] = [];
    await expect((await engine.start(flow, null)).result()).rejects.toThrow("it failed");
    expect(undone).toEqual([[2, 4]]);
  });

  it("DATA-9 records no secret", async () => {
    const engine = await fixture.current.open({ secrets: () => "s3cret-value" });
    const flow = workflow("flow", { secrets: ["token"] })
      .step("work", { secrets: ["token"] }, ({ run, secrets }) => run("leak", () => `is ${secrets["token"]}`))
      .output(({ outputs }) => outputs.work);
    expect(await (await engine.start(flow, null)).result()).not.toContain("s3cret-value");
  });
});

describe("after a crash", () => {
  it("STATE-14 JOURNAL-3 a new owner gets the values back and makes only the calls that are missing", async () => {
    const made: string[] = [];
    let isSecond = false;
    const flow = workflow("flow")
      .step("work", async ({ run }) => {
        const first = await run("first", () => made.push("first"));
        if (!isSecond) await new Promise(() => undefined);
        return [first, await run("second", () => made.push("second"))];
      })
      .output(({ outputs }) => outputs.work);
    await using test = await openTestEngine({ workflows: [flow] });
    const { id } = await test.start(flow, null);
    await test.untilIdle();
    isSecond = true;
    await test.crash();
    await test.advance("1h");
    expect(await (await test.get(id)).result()).toEqual([1, 2]);
    expect(made).toEqual(["first", "second"]);
  });

  it("STATE-14 FAIL-8 a new round gets the values of a failed step back, and not those of an undone one", async () => {
    const made: string[] = [];
    let isBroken = true;
    const flow = workflow("flow", { onFailure: "compensate" })
      .step("booked", ({ run }) => run("book", () => made.push("book")))
      .step("paid", { dependsOn: ["booked"], retry: 1 }, async ({ run }) => {
        await run("pay", () => made.push("pay"));
        if (isBroken) throw new Error("it failed");
      })
      .compensate("booked", () => void made.push("cancel"));
    const engine = await fixture.current.open();
    const handle = await engine.start(flow, null);
    await expect(handle.result()).rejects.toThrow("it failed");
    isBroken = false;
    await handle.retry();
    await handle.result();
    expect(made).toEqual(["book", "pay", "cancel", "book"]);
  });
});

describe("the options of a recorded call", () => {
  it("FAIL-2 FAIL-3 retry it within its attempt, after its own delays", async () => {
    const tries: number[] = [];
    const flow = workflow("flow")
      .step("work", { retry: 1 }, ({ run }) =>
        run(
          "plan",
          ({ attempt }) => {
            tries.push(attempt);
            if (attempt < 3) throw new Error("no answer");
            return "answer";
          },
          { retry: { attempts: 3, base: "1m", max: "1h" } },
        ),
      )
      .output(({ outputs }) => outputs.work);
    await using test = await openTestEngine();
    const handle = await test.start(flow, null);
    await test.advance("59s");
    expect(tries).toEqual([1]);
    await test.advance("1s");
    expect(tries).toEqual([1, 2]);
    await test.advance("2m");
    expect(await handle.result()).toBe("answer");
  });

  it("FAIL-4 CALL_TIMEOUT ends a try that takes too long, and aborts its signal", async () => {
    const reasons: unknown[] = [];
    const flow = workflow("flow")
      .step("work", { retry: 1 }, ({ run }) =>
        run(
          "plan",
          ({ signal }) => {
            signal.addEventListener("abort", () => reasons.push((signal.reason as Error).name));
            return new Promise<never>(() => undefined);
          },
          { timeout: "10s" },
        ),
      )
      .output(({ outputs }) => outputs.work);
    await using test = await openTestEngine();
    const handle = await test.start(flow, null);
    await test.advance("10s");
    await expect(handle.result()).rejects.toThrow("the call `plan` took longer than 10000 ms");
    expect(reasons).toEqual(["TimeoutError"]);
  });

  it("CANCEL-1 end with the attempt: a retry that waits is given up", async () => {
    let ended: unknown;
    const flow = workflow("flow").step("work", ({ run }) =>
      run("plan", () => Promise.reject(new Error("no answer")), { retry: { attempts: 9, base: "1h" } }).catch(
        (error: Error) => {
          ended = error.name;
          throw error;
        },
      ),
    );
    await using test = await openTestEngine();
    const handle = await test.start(flow, null);
    await test.untilIdle();
    await handle.cancel();
    await test.advance("1m");
    expect(ended).toBe("AbortError");
    expect((await handle.status()).status).toBe("cancelled");
  });
});
