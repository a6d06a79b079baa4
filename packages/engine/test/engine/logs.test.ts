// Logs: one line per event, lines of steps, and faults, for any content and any behaviour of the logger (EVENT-5).

import { afterEach, describe, expect, it, vi } from "vitest";
import { Engine, type Logger, type StepContext } from "../../src/index.ts";
import { MemoryStore } from "../../src/store/memory/memory-store.ts";
import { fail, openTestEngine, script, succeed } from "../../src/testing/index.ts";
import { recordedLogger, throwingLogger } from "../../src/testing/recorded-logger.ts";
import { flow, readHistory, one, step } from "./sample-flow.ts";
import { eventually } from "../eventually.ts";

afterEach(() => void vi.restoreAllMocks());

describe("an engine with a logger", () => {
  it("EVENT-5 writes one line an event, with its ids, its step and its attempt", async () => {
    const logger = recordedLogger();
    await using test = await openTestEngine({ logger, agents: { work: script([fail("busy"), succeed(1)]) } });
    const handle = await test.start(flow([step("a")]), null, { id: "mine", correlationId: "order-7" });
    await test.advance("10s");
    const events = await readHistory(handle);
    expect(logger.lines.map(({ message }) => message)).toEqual(events.map(({ kind }) => kind));
    expect(logger.lines.map(({ fields }) => fields["seq"])).toEqual(events.map(({ seq }) => seq));
    for (const { fields } of logger.lines)
      expect(fields).toMatchObject({ executionId: "mine", workflow: "flow", correlationId: "order-7" });
    const ofSteps = logger.lines.filter(({ message }) => message.startsWith("step."));
    expect(ofSteps.map(({ message, fields: { step: at, attempt } }) => [message, at, attempt])).toEqual([
      ["step.started", "a", 1],
      ["step.retried", "a", 1],
      ["step.started", "a", 2],
      ["step.completed", "a", 2],
    ]);
  });

  it("EVENT-5 says what failed as an error and what is tried again as a warning, with code and message", async () => {
    const logger = recordedLogger();
    const work = script([fail("busy"), fail("broken", { permanent: true })]);
    await using test = await openTestEngine({ logger, agents: { work } });
    await test.start(flow([step("a")]));
    await test.advance("10s");
    const levels = new Map(logger.lines.map(({ message, level }) => [message, level]));
    expect(Object.fromEntries(levels)).toMatchObject({
      "execution.created": "info",
      "step.started": "info",
      "step.retried": "warn",
      "step.failed": "error",
      "execution.failed": "error",
    });
    const [retried, failed] = ["step.retried", "step.failed"].map((kind) =>
      logger.lines.find(({ message }) => message === kind),
    );
    expect(retried!.fields).toMatchObject({ class: "transient", error: "busy" });
    expect(failed!.fields).toMatchObject({ class: "permanent", error: "broken" });
    expect(failed!.fields["code"]).toEqual(expect.any(String));
  });

  it("EVENT-5 says as a warning that an execution was parked, and why", async () => {
    const logger = recordedLogger();
    await using test = await openTestEngine({ logger });
    await test.start(one());
    await test.untilIdle();
    const parked = logger.lines.find(({ message }) => message === "execution.parked");
    expect(parked).toMatchObject({ level: "warn", fields: { reason: expect.stringContaining("`work`") as string } });
  });

  it("EVENT-5 writes the lines of what goes on after a crash, and none twice", async () => {
    const logger = recordedLogger();
    await using test = await openTestEngine({ logger, agents: { work: script([succeed(1, { after: "1s" })]) } });
    const { id } = await test.start(flow([step("a"), step("b", { after: ["a"] })]));
    await test.advance("1500ms");
    await test.crash();
    await test.advance("5s");
    const events = await readHistory(await test.get(id));
    expect(logger.lines.map(({ fields }) => fields["seq"])).toEqual(events.map(({ seq }) => seq));
  });
});

describe("the logger of a step", () => {
  const logs = (_: unknown, { log }: StepContext): void => {
    log.info("plain");
    log.warn({ items: 3 }, "with fields");
    log.child({ part: "x" }).error("of a child");
  };

  it("EVENT-5 writes lines with the ids of execution, step and attempt", async () => {
    const logger = recordedLogger();
    await using test = await openTestEngine({ logger, agents: { work: logs } });
    const { id } = await test.start(one(), null, { correlationId: "order-7" });
    await test.untilIdle();
    const ids = { executionId: id, workflow: "flow", correlationId: "order-7", step: "a", attempt: 1 };
    expect(logger.lines.filter(({ fields }) => !("seq" in fields))).toEqual([
      { level: "info", message: "plain", fields: ids },
      { level: "warn", message: "with fields", fields: { ...ids, items: 3 } },
      { level: "error", message: "of a child", fields: { ...ids, part: "x" } },
    ]);
  });

  it("EVENT-5 writes to stderr where no logger was given, and events are not written there", async () => {
    const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    await using test = await openTestEngine({ agents: { work: logs } });
    const { id } = await test.start(one());
    await test.untilIdle();
    const lines = write.mock.calls.map(([line]) => String(line));
    expect(lines.every((line) => line.endsWith("}\n") && line.indexOf("\n") === line.length - 1)).toBe(true);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { level: "info", message: "plain", executionId: id, step: "a", attempt: 1, time: test.now },
      { level: "warn", message: "with fields", items: 3 },
      { level: "error", message: "of a child", part: "x" },
    ]);
  });
});

/** A subscriber that throws: a fault that every engine can have. */
async function withFault(options: { logger?: Logger; onFault?: (error: unknown) => void }): Promise<void> {
  await using test = await openTestEngine({ ...options, agents: { work: async () => 1 } });
  const stop = test.engine.subscribe({ kinds: ["execution.completed"] }, () => {
    throw new Error("a bad subscriber");
  });
  await test.start(one());
  await test.untilIdle();
  stop();
}

describe("a fault of the engine", () => {
  it.each([
    ["neither", false, false, ["stderr"]],
    ["onFault", false, true, ["onFault"]],
    ["a logger", true, false, ["log"]],
    ["both", true, true, ["onFault", "log"]],
  ])("EVENT-5 with %s given goes to whoever asked, else to stderr", async (_, hasLogger, hasOnFault, expected) => {
    const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    const logger = recordedLogger();
    const faults: unknown[] = [];
    await withFault({
      ...(hasLogger ? { logger } : {}),
      ...(hasOnFault ? { onFault: (error: unknown) => faults.push(error) } : {}),
    });
    const isFault = (text: unknown): boolean => String(text).includes("a bad subscriber");
    const told = {
      stderr: write.mock.calls.filter(([line]) => isFault(line)).length,
      onFault: faults.filter(isFault).length,
      log: logger.lines.filter(({ level, message }) => level === "error" && isFault(message)).length,
    };
    expect(told).toEqual({ stderr: 0, onFault: 0, log: 0, ...Object.fromEntries(expected.map((each) => [each, 1])) });
  });

  it("EVENT-5 is written with the id of its execution", async () => {
    const logger = recordedLogger();
    const store = new MemoryStore();
    const failing = Object.assign(Object.create(store) as MemoryStore, {
      load: async (id: never) => ({ kind: "unreadable", id, reason: "a row is missing" }) as never,
      commit: store.commit.bind(store),
      find: store.find.bind(store),
      poll: store.poll.bind(store),
      post: store.post.bind(store),
      close: store.close.bind(store),
      quarantine: store.quarantine.bind(store),
      sweepKeys: store.sweepKeys.bind(store),
    });
    const poster = await Engine.open({ store, mode: "post" });
    await poster.start(one(), null, { id: "broken" });
    await using engine = await Engine.open({ store, agents: { work: () => new Promise(() => undefined) } });
    await eventually(async () => expect((await store.load("broken" as never))?.kind).toBe("execution"));
    await using second = await Engine.open({ store: failing, logger, agents: { work: async () => 1 } });
    expect([engine.isOwner, second.isOwner]).toEqual([true, true]);
    await eventually(() =>
      expect(logger.lines).toContainEqual({
        level: "error",
        message: expect.stringContaining("a row is missing") as string,
        fields: expect.objectContaining({ executionId: "broken" }) as object,
      }),
    );
  });
});

/** Uncaught errors, which would have ended the process. */
async function uncaughtBy(work: () => Promise<void>): Promise<readonly unknown[]> {
  const uncaught: unknown[] = [];
  const note = (error: unknown): void => void uncaught.push(error);
  process.on("unhandledRejection", note);
  try {
    await work();
  } finally {
    process.off("unhandledRejection", note);
  }
  return uncaught;
}

describe("a fault that is told to somebody who throws", () => {
  it("EVENT-2 goes no further: `onFault` that throws ends no process and silences no subscriber", async () => {
    const onFault = (): never => {
      throw new Error("told");
    };
    expect(await uncaughtBy(() => withFault({ onFault }))).toEqual([]);
  });

  it("EVENT-5 goes no further: what was thrown may be nothing that can be written", async () => {
    const thrown: unknown = Object.create(null);
    const uncaught = await uncaughtBy(async () => {
      await using test = await openTestEngine({ logger: recordedLogger(), agents: { work: async () => 1 } });
      test.engine.subscribe({}, () => Promise.reject(thrown));
      await test.start(one());
      await test.untilIdle();
    });
    expect(uncaught).toEqual([]);
  });
});

describe("a logger that throws", () => {
  it.each([
    ["onFault is told", true],
    ["nobody is", false],
  ])("EVENT-5 disturbs neither executions nor other subscribers nor the process; %s", async (_, isTold) => {
    const faults: unknown[] = [];
    const onFault = isTold ? { onFault: (error: unknown) => void faults.push(error) } : {};
    const uncaught = await uncaughtBy(async () => {
      await using test = await openTestEngine({
        logger: throwingLogger(),
        agents: { work: async () => 1 },
        ...onFault,
      });
      const seen: string[] = [];
      test.engine.subscribe({ kinds: ["execution.completed"] }, ({ events }) => void seen.push(events[0]!.kind));
      for (const id of ["one", "two"]) expect(await (await test.start(one(), null, { id })).result()).toBe(1);
      await test.untilIdle();
      expect(seen).toEqual(["execution.completed", "execution.completed"]);
    });
    expect(uncaught).toEqual([]);
    expect(faults.length > 0).toBe(isTold);
  });

  it("EVENT-5 at one line gets the next ones all the same", async () => {
    const logger = recordedLogger();
    let calls = 0;
    const moody: Logger = {
      ...logger,
      info: (...given: readonly unknown[]) => {
        if (++calls === 1) throw new Error("not now");
        (logger.info as (...all: readonly unknown[]) => void)(...given);
      },
    };
    await using test = await openTestEngine({ logger: moody, onFault: () => undefined, agents: { work: () => 1 } });
    const handle = await test.start(one());
    await test.untilIdle();
    const { seq } = await handle.status();
    const seqs = logger.lines.flatMap(({ fields }) => ("seq" in fields ? [fields["seq"]] : []));
    expect(seqs).toEqual(Array.from({ length: seq - 1 }, (_, index) => index + 2));
  });

  it("EVENT-5 harms no step that writes a line", async () => {
    await using test = await openTestEngine({
      logger: { ...recordedLogger(), child: throwingLogger },
      agents: {
        work: (_, { log }) => {
          log.info("hello");
          return "done";
        },
      },
    });
    const handle = await test.start(one());
    await test.untilIdle();
    expect(await handle.result()).toBe("done");
  });
});
