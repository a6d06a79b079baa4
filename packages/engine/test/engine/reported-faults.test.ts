// Reports to people: why an execution does not make progress or failed, and the events that subscribers get before the
// end (EVENT-2).

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Engine, ExecutionError, workflow, type FailureOptions } from "../../src/index.ts";
import { contract } from "../orchestration/recording-agents.ts";
import { eventually } from "../eventually.ts";
import { inspectAdmission } from "../../src/testing/index.ts";

const NOBODY = contract("{ name: nobody, steps: [{ id: a, agent: nobody }] }");

async function catchError(ending: Promise<unknown>): Promise<ExecutionError> {
  const error = await ending.catch((caught: unknown) => caught);
  if (error instanceof ExecutionError) return error;
  throw new Error("it did not fail");
}

describe("an execution that stands still or failed", () => {
  it("FAIL-9 EVENT-5 that is parked says why in its status, and on stderr where nobody listens", async () => {
    const stderr = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    await using engine = await Engine.open({ store: "none" });
    const handle = await engine.start(NOBODY);
    await eventually(async () => expect((await handle.status()).status).toBe("parked"));
    const written = stderr.mock.calls.map(([line]) => String(line)).join("");
    stderr.mockRestore();
    expect((await handle.status()).reason).toBe("no agent or function is registered for `nobody`");
    expect(JSON.parse(written)).toMatchObject({ level: "warn", executionId: handle.id });
    expect(written).toContain("parked: no agent or function is registered for `nobody`");
  });

  it("CANCEL-6 that was cancelled says who wanted it, in its status and in its error", async () => {
    await using engine = await Engine.open({ store: "none", onFault: () => undefined });
    const handle = await engine.start(NOBODY);
    await handle.cancel({ reason: "the customer left" });
    expect((await catchError(handle.result())).message).toBe(
      `the execution ${handle.id} was cancelled: the customer left`,
    );
    expect(await handle.status()).toMatchObject({ status: "cancelled", reason: "the customer left" });
  });

  it("FAIL-1 that failed names the step, and the place in its output where that was at fault", async () => {
    await using engine = await Engine.open({ store: "none" });
    const b: unknown = 1n;
    const handle = await engine.start(workflow("w").step("build", async () => ({ a: { b } })));
    const error = await catchError(handle.result());
    expect(error.step).toBe("build");
    expect(error.message).toContain("failed in `build`: the output holds a bigint at `a.b`, which is not JSON");
    expect((await handle.status()).failedStep).toBe("build");
  });
});

describe("what users say about failures", () => {
  it.each<[string, NonNullable<FailureOptions["resolve"]>]>([
    ["null", () => null as never],
    ["a word that is none", () => "again" as never],
    ["a time that is none", () => ({ retryAfterMs: Number.NaN })],
    ["an object without a time", () => ({}) as never],
  ])("FAIL-7 FC1 %s is reported, and the engine decides", async (_, resolve) => {
    const faults: unknown[] = [];
    await using engine = await Engine.open({
      store: "none",
      failures: { resolve },
      onFault: (error) => void faults.push(error),
    });
    const handle = await engine.start(
      workflow("w").step("a", async () => {
        throw new TypeError("as it was");
      }),
    );
    expect((await catchError(handle.result())).failure).toMatchObject({ class: "permanent", message: "as it was" });
    expect(faults).toMatchObject([{ code: "CALLBACK_FAILED" }]);
  });

  it("FAIL-7 JOURNAL-6 a time beyond all times is a long one", async () => {
    await using engine = await Engine.open({
      store: "none",
      failures: { resolve: () => ({ retryAfterMs: 1e300 }) },
    });
    const handle = await engine.start(
      workflow("w").step("a", { retry: 3 }, async () => {
        throw new TypeError("later");
      }),
    );
    await eventually(async () => expect((await handle.status()).steps[0]!.status).toBe("retrying"));
  });
});

describe("an engine that is closed", () => {
  it("EVENT-2 tells its subscribers everything before the close is over", async () => {
    const heard: string[] = [];
    const engine = await Engine.open({ store: "none" });
    engine.subscribe({}, ({ events }) => void heard.push(...events.map(({ kind }) => kind)));
    await (await engine.start(workflow("w").step("a", async () => 1))).result();
    await engine.close();
    expect(heard.at(-1)).toBe("execution.completed");
  });

  it("CANCEL-1 closes once: who closes it again waits for the same end", async () => {
    const engine = await Engine.open({ store: "none" });
    const { promise, resolve } = Promise.withResolvers<void>();
    await engine.start(workflow("w").step("a", () => promise));
    await eventually(() => expect(inspectAdmission(engine).usedSlots).toBe(1));
    const order: string[] = [];
    const first = engine.close({ drainMs: 60_000 }).then(() => void order.push("first"));
    const second = engine.close().then(() => void order.push("second"));
    order.push("running");
    resolve();
    await Promise.all([first, second]);
    expect(order).toEqual(["running", "first", "second"]);
  });

  it.each([null, "x", { drainMs: "1s" }, { drainMs: Number.NaN }, { drain: 1 }])(
    "OPTION_INVALID does not take %j for options of its close",
    async (options) => {
      await using engine = await Engine.open({ store: "none" });
      await expect(engine.close(options as never)).rejects.toMatchObject({ code: "OPTION_INVALID" });
    },
  );
});

describe("whom nobody can tell", () => {
  it.each<readonly [unknown, unknown]>([
    [undefined, () => undefined],
    [null, () => undefined],
    [{ kinds: 5 }, () => undefined],
    [{ kind: "step.started" }, () => undefined],
    [{}, undefined],
  ])("OPTION_INVALID is not subscribed: %j", async (filter, handler) => {
    await using engine = await Engine.open({ store: "none" });
    expect(() => engine.subscribe(filter as never, handler as never)).toThrow(
      expect.objectContaining({ code: "OPTION_INVALID" }),
    );
  });

  it("OPTION_INVALID an execution has no empty id", async () => {
    await using engine = await Engine.open({ store: "none" });
    await expect(engine.start(NOBODY, null, { id: "" })).rejects.toMatchObject({ code: "OPTION_INVALID" });
  });
});

describe("a file", () => {
  let folder = "";
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "segno-told-"))));
  afterEach(() => rmSync(folder, { recursive: true }));

  it("JOURNAL_MISSING that is not there is not made by who only looks", async () => {
    const file = join(folder, "deep", "a.db");
    await expect(Engine.open({ file, mode: "readOnly" })).rejects.toMatchObject({ code: "JOURNAL_MISSING" });
    expect(readdirSync(folder)).toEqual([]);
  });

  it("STORE_IO below a file says that there is no folder", async () => {
    writeFileSync(join(folder, "plain"), "");
    await expect(Engine.open({ file: join(folder, "plain", "a.db") })).rejects.toMatchObject({
      code: "STORE_IO",
      message: `${join(folder, "plain")} is a file and not a folder`,
    });
  });

  it("SCHED-1 limits that are undefined are those of the engine", async () => {
    await using engine = await Engine.open({
      file: join(folder, "a.db"),
      limits: { liveExecutions: undefined } as never,
    });
    const handles = await Promise.all([1, 2, 3].map(() => engine.start(workflow("w").step("a", async () => 1))));
    expect(await Promise.all(handles.map((handle) => handle.result()))).toEqual([null, null, null]);
  });
});
