// Callbacks that throw, reject or never answer: each has a time limit and an outcome with a code.

import { durationMs, SegnoError } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { workflow, type BuiltWorkflow, type Logger } from "../../src/index.ts";
import type { StandardSchema } from "../../src/builder/standard-schema.ts";
import { openTestEngine, type TestEngine, type TestEngineOptions } from "../../src/testing/index.ts";
import { recordedLogger } from "../../src/testing/recorded-logger.ts";
import { flow, one, step } from "./sample-flow.ts";

const never = (): Promise<never> => new Promise(() => undefined);
const rejects = async (): Promise<never> => {
  throw new Error("gone");
};

interface Watched {
  readonly test: TestEngine;
  readonly faults: unknown[];
}

async function opened(options: TestEngineOptions = {}): Promise<Watched> {
  const faults: unknown[] = [];
  const agents = {
    work: async () => 1,
    fails: async () => {
      throw new Error("busy");
    },
  };
  const test = await openTestEngine({ agents, onFault: (error) => faults.push(error), ...options });
  return { test, faults };
}

const FAILING = flow([step("a", { agent: "fails", retry: { attempts: 2 } })]);

async function failed({ test }: Watched, ms = 60_000): Promise<number> {
  const handle = await test.start(FAILING);
  await test.advance(ms);
  const { status, steps } = await handle.status();
  expect(status).toBe("failed");
  return steps[0]!.attempts;
}

function listCodes(faults: readonly unknown[]): readonly unknown[] {
  return faults.map((fault) => (fault instanceof SegnoError ? fault.code : fault));
}

describe("a classifier and a resolver of failures", () => {
  it("FAIL-7 may take time to answer, and are heeded", async () => {
    const permanent = await opened({ failures: { classify: async () => "permanent" as const } });
    await using _ = permanent.test;
    expect(await failed(permanent)).toBe(1);
    const fail = await opened({ failures: { resolve: async () => "fail" as const } });
    await using other = fail.test;
    expect(await failed(fail)).toBe(1);
    expect([permanent.faults, fail.faults, other.now > 0]).toEqual([[], [], true]);
  });

  it("FAIL-7 that never answer leave a failure to the engine after 10 seconds, and are reported", async () => {
    const watched = await opened({ failures: { classify: never, resolve: never } });
    await using test = watched.test;
    const handle = await test.start(FAILING);
    await test.advance(9_900);
    expect(watched.faults).toEqual([]);
    await test.advance(200);
    expect(listCodes(watched.faults)).toEqual(["CALLBACK_TIMEOUT"]);
    await test.advance(60_000);
    const { status, steps } = await handle.status();
    expect([status, steps[0]!.attempts]).toEqual(["failed", 2]);
    expect(listCodes(watched.faults)).toEqual(["CALLBACK_TIMEOUT", "CALLBACK_TIMEOUT"]);
  });

  it("FAIL-7 that reject leave a failure to the engine, and are reported", async () => {
    const watched = await opened({ failures: { classify: rejects, resolve: rejects } });
    await using _ = watched.test;
    expect(await failed(watched)).toBe(2);
    expect(listCodes(watched.faults)).toEqual(["CALLBACK_FAILED", "CALLBACK_FAILED"]);
  });

  it("FAIL-7 that return an invalid value leave a failure to the engine, and are reported", async () => {
    for (const failures of [
      { classify: () => "fatal" as never, resolve: () => undefined },
      { classify: async () => "fatal" as never, resolve: async () => undefined },
      { classify: () => undefined, resolve: () => "again" as never },
      { classify: async () => undefined, resolve: async () => null as never },
    ]) {
      const watched = await opened({ failures });
      await using _ = watched.test;
      expect(await failed(watched)).toBe(2);
      expect(new Set(listCodes(watched.faults))).toEqual(new Set(["CALLBACK_FAILED"]));
    }
  });

  it("FAIL-7 CANCEL-2 that have not answered when the engine closes are not reported as failed", async () => {
    for (const failures of [{ classify: never }, { resolve: never }]) {
      const { test, faults } = await opened({ failures });
      await test.start(FAILING);
      await test.untilIdle();
      await test.engine.close();
      expect(listCodes(faults)).toEqual(["ENGINE_CLOSED"]);
    }
  });

  it("FAIL-4 that are still asked when the attempt's time is over do not hold it up", async () => {
    const watched = await opened({ failures: { resolve: never }, callbackTimeoutMs: 3_600_000 });
    await using test = watched.test;
    const timeout = durationMs(5000);
    const handle = await test.start(flow([step("a", { agent: "fails", timeout, retry: { attempts: 1 } })]));
    await test.advance(30_000);
    const { status, steps } = await handle.status();
    expect([status, steps[0]!.status]).toEqual(["failed", "failed"]);
  });
});

function throwingGetter(name: string): object {
  return Object.defineProperty({}, name, {
    enumerable: true,
    get: () => {
      throw new Error("gone");
    },
  });
}

describe("a classifier and a resolver that throw", () => {
  it("FAIL-7 a value that cannot be read leave a failure to the engine, and are reported", async () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const throws = (): never => {
      throw proxy;
    };
    const watched = await opened({ failures: { classify: throws, resolve: throws } });
    await using _ = watched.test;
    expect(await failed(watched)).toBe(2);
    expect(listCodes(watched.faults)).toEqual(["CALLBACK_FAILED", "CALLBACK_FAILED"]);
  });
});

describe("a schema of an input", () => {
  const withSchema = (validate: () => Promise<never>): BuiltWorkflow => {
    const input: StandardSchema = { "~standard": { version: 1, vendor: "test", validate } };
    return workflow("typed", { input }).step("a", async () => 1);
  };

  it("CONTRACT-1 that never answers refuses the start after `callbackTimeoutMs`", async () => {
    const { test } = await opened({ callbackTimeoutMs: 2000 });
    await using _ = test;
    const start = test.engine.start(withSchema(never), "x").catch((error: unknown) => error);
    await test.advance(2100);
    expect(await start).toMatchObject({
      code: "CALLBACK_TIMEOUT",
      message: "the schema of the input of `typed` did not return within 2 seconds",
    });
  });

  it("CONTRACT-1 that throws or rejects refuses the start with a code", async () => {
    const { test } = await opened();
    await using _ = test;
    const throws = (): never => {
      throw new Error("gone");
    };
    for (const validate of [rejects, throws])
      await expect(test.engine.start(withSchema(validate), "x")).rejects.toMatchObject({
        code: "CALLBACK_FAILED",
        cause: { message: "gone" },
      });
  });

  it.each<readonly [string, () => object]>([
    ["issues", () => throwingGetter("issues")],
    ["value", () => throwingGetter("value")],
    ["an issue", () => ({ issues: [throwingGetter("message")] })],
    ["the path of an issue", () => ({ issues: [{ message: "m", path: [throwingGetter("key")] }] })],
    ["a field of the value", () => ({ value: { a: throwingGetter("b") } })],
  ])("CONTRACT-1 whose result throws when %s is read refuses the start with a code", async (_name, result) => {
    const { test } = await opened();
    await using _ = test;
    await expect(
      test.engine.start(
        withSchema(async () => result() as never),
        "x",
      ),
    ).rejects.toMatchObject({
      code: "CALLBACK_FAILED",
      cause: { message: "gone" },
    });
  });

  it("CANCEL-2 is not waited for when the engine closes", async () => {
    const { test } = await opened();
    const start = test.engine.start(withSchema(never), "x").catch((error: unknown) => error);
    await test.untilIdle();
    await test.engine.close();
    expect(await start).toMatchObject({ code: "ENGINE_CLOSED" });
  });
});

/** A logger of an untyped program. */
function loggerWith(line: () => unknown): Logger {
  const logger: Logger = { debug: line, info: line, warn: line, error: line, child: () => logger };
  return logger;
}

describe("whoever is only told", () => {
  it("EVENT-5 a logger that rejects is reported once, and nobody waits for it", async () => {
    const { test, faults } = await opened({ logger: loggerWith(rejects) });
    await using _ = test;
    const handle = await test.start(one());
    await test.untilIdle();
    expect((await handle.status()).status).toBe("completed");
    expect(faults).toEqual([new Error("gone")]);
  });

  it("EVENT-5 a logger that never answers holds up nobody", async () => {
    const { test, faults } = await opened({ logger: loggerWith(never) });
    await using _ = test;
    const handle = await test.start(one());
    await test.untilIdle();
    expect((await handle.status()).status).toBe("completed");
    expect(faults).toEqual([]);
  });

  it("EVENT-2 a subscriber that does not answer in time is reported, and gets its next batch when it has", async () => {
    const { test, faults } = await opened();
    await using _ = test;
    const { promise, resolve } = Promise.withResolvers<void>();
    let calls = 0;
    test.engine.subscribe({}, () => (calls++ === 0 ? promise : undefined));
    await test.start(one());
    await test.advance(9_900);
    await test.start(one());
    await test.untilIdle();
    expect([calls, listCodes(faults)]).toEqual([1, []]);
    await test.advance(200);
    expect([calls, listCodes(faults)]).toEqual([1, ["CALLBACK_TIMEOUT"]]);
    resolve();
    await test.untilIdle();
    expect(calls).toBe(2);
  });

  it("EVENT-2 whoever hears of faults or of lines may reject", async () => {
    const seen: unknown[] = [];
    const onFault = (error: unknown): unknown => {
      seen.push(error);
      return rejects();
    };
    const logger = recordedLogger();
    const { test } = await opened({ onFault, logger, failures: { classify: rejects } });
    await using _ = test;
    const listener: () => unknown = rejects;
    test.engine.onLog({}, listener);
    const handle = await test.start(FAILING);
    await test.advance(60_000);
    expect((await handle.status()).status).toBe("failed");
    expect(listCodes(seen)).toEqual(["CALLBACK_FAILED"]);
    expect(logger.lines.filter(({ message }) => message === "gone")).toHaveLength(1);
  });
});

describe("a provider of secrets", () => {
  it("DATA-9 FAIL-9 that never answers parks the execution after the limit, on the engine's clock", async () => {
    const { test } = await opened({ secrets: never, callbackTimeoutMs: 5000 });
    await using _ = test;
    const handle = await test.start(
      flow([step("a", { secrets: ["token"], retry: { attempts: 1 } })], { secrets: ["token"] }),
    );
    await test.advance(4900);
    expect((await handle.status()).status).toBe("running");
    await test.advance(200);
    const { status, reason } = await handle.status();
    expect(status).toBe("parked");
    expect(reason).toContain("within 5 seconds");
  });
});

describe("the function behind the output of a workflow", () => {
  it("FAIL-4 that never answers fails the execution after `callbackTimeoutMs`", async () => {
    const { test } = await opened({ callbackTimeoutMs: 2000 });
    await using _ = test;
    const endless = workflow("endless")
      .step("a", async () => 1)
      .output(never);
    const handle = await test.start(endless);
    await test.advance(1900);
    expect((await handle.status()).status).toBe("running");
    await test.advance(200);
    expect((await handle.status()).steps.at(-1)?.detail).toMatchObject({ kind: "stopping" });
    await test.advance(5000);
    const { status, steps } = await handle.status();
    expect([status, steps.at(-1)?.detail]).toMatchObject([
      "failed",
      { kind: "failure", failure: { class: "timeout", code: "ATTEMPT_TIMEOUT" } },
    ]);
  });
});
