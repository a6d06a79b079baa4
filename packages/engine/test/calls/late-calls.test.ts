// Recorded calls beside endings, secrets and faults of the store.

import { describe, expect, it } from "vitest";
import { Engine, workflow } from "../../src/index.ts";
import { MemoryStore } from "../../src/store/memory/memory-store.ts";
import { StoreFault } from "../../src/store/store-fault.ts";
import { pollUntil, useFixture } from "../running/fixture.ts";

const fixture = useFixture();
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A store that cannot read values a few times. */
class UnreadableStore extends MemoryStore {
  faults = 0;

  /** It outlives its engines. */
  override async close(): Promise<void> {}

  override async contents(request: Parameters<MemoryStore["contents"]>[0]): Promise<ReadonlyMap<never, string>> {
    if (request.kind === "values" && this.faults-- > 0) throw new StoreFault("STORE_IO", "the disk cannot be read");
    return (await super.contents(request)) as ReadonlyMap<never, string>;
  }
}

describe("a recorded call", () => {
  it("LEASE-2 does not begin, and is not tried again, for an attempt that has ended", async () => {
    const made: string[] = [];
    const ended = Promise.withResolvers<unknown>();
    const flow = workflow("flow").step("work", { retry: 1 }, async ({ run }) => {
      const tried = run("pay", () => Promise.reject(new Error(`pay ${made.push("pay")}`)), {
        retry: { attempts: 5, base: "20ms" },
      });
      tried.catch(() => undefined);
      void sleep(100)
        .then(() => run("late", () => made.push("late")))
        .catch((error: unknown) => ended.resolve(error));
      throw new Error("it failed");
    });
    const engine = await fixture.current.open();
    await expect((await engine.start(flow, null)).result()).rejects.toThrow("it failed");
    expect(await ended.promise).toMatchObject({ code: "ATTEMPT_NOT_RUNNING" });
    expect(made).toEqual(["pay"]);
  });

  it("FAIL-8 STATE-14 of a compensation that failed is not made again when the undoing is retried", async () => {
    const made: string[] = [];
    let isBroken = true;
    const flow = workflow("flow", { onFailure: "compensate" })
      .step("paid", () => void made.push("pay"))
      .compensate("paid", { retry: 1 }, async ({ run }) => {
        await run("refund", () => made.push("refund"));
        if (isBroken) throw new Error("not undone");
      })
      .step("fails", { dependsOn: ["paid"], retry: 1 }, () => Promise.reject(new Error("it failed")));
    const engine = await fixture.current.open();
    const handle = await engine.start(flow, null);
    await expect(handle.result()).rejects.toThrow("it failed");
    isBroken = false;
    await handle.retry({ undo: true });
    await expect(handle.result()).rejects.toThrow("it failed");
    expect(made).toEqual(["pay", "refund"]);
    expect(await engine.verify(handle.id)).toMatchObject({ ok: true });
  });
});

describe("the record of a call", () => {
  it("DATA-9 has a name without secrets", async () => {
    const engine = await fixture.current.open({ secrets: () => "s3cret-value" });
    const flow = workflow("flow", { secrets: ["token"] }).step("work", { secrets: ["token"] }, ({ run, secrets }) =>
      run(`get ?t=${secrets["token"]}`, () => null),
    );
    const handle = await engine.start(flow, null);
    await handle.result();
    const { steps } = await handle.status();
    expect(steps[0]!.calls!.map(({ name }) => name)).toEqual(["get ?t=***"]);
  });

  it("JOURNAL-6 STATE-14 waits for a store that cannot read its value, and is not made again", async () => {
    const store = new UnreadableStore();
    let made = 0;
    let isFirst = true;
    const flow = workflow("flow")
      .step("work", async ({ run, signal }) => {
        const value = await run("large", () => `${++made}`.repeat(100_000));
        if (isFirst)
          await new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("closed"))));
        return value.length;
      })
      .output(({ outputs }) => outputs.work);
    const open = (): Promise<Engine> => Engine.open({ store, workflows: [flow], onFault: () => undefined });
    const first = await open();
    const { id } = await first.start(flow, null);
    await pollUntil(() => made === 1, "the call was made");
    await first.close();
    isFirst = false;
    store.faults = 3;
    await using second = await open();
    expect(await (await second.get(id)).result()).toBe(100_000);
    expect(store.faults).toBeLessThan(0);
    expect(made).toBe(1);
  });

  it("JOURNAL-6 STATE-14 is an error, and not null, if the engine closes before the value could be read", async () => {
    const store = new UnreadableStore();
    let made = 0;
    let isFirst = true;
    const read = Promise.withResolvers<unknown>();
    const flow = workflow("flow").step("work", async ({ run, signal }) => {
      const value = run("large", () => `${++made}`.repeat(100_000));
      if (!isFirst) value.then(read.resolve, read.resolve);
      await value;
      await new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("closed"))));
    });
    const open = (): Promise<Engine> => Engine.open({ store, workflows: [flow], onFault: () => undefined });
    const first = await open();
    await first.start(flow, null);
    await pollUntil(() => made === 1, "the call was made");
    await first.close();
    isFirst = false;
    store.faults = 1000;
    const second = await open();
    await pollUntil(() => store.faults < 1000, "the value was asked for");
    await second.close();
    expect(await read.promise).toMatchObject({ code: "ATTEMPT_NOT_RUNNING" });
  });
});
