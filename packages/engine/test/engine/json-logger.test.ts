// The built-in logger, and loggers of users (EVENT-5).

import { spawnSync } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createJsonLogger, type EngineOptions, type Logger, type LogLevel, type StepLogger } from "../../src/index.ts";
import { openTestEngine } from "../../src/testing/index.ts";
import { one } from "./sample-flow.ts";

function written(options: { readonly level?: LogLevel } = {}): {
  readonly logger: StepLogger;
  readonly lines: string[];
} {
  const lines: string[] = [];
  return { lines, logger: createJsonLogger({ ...options, write: (line) => lines.push(line), now: () => 7 }) };
}

function parsed(lines: readonly string[]): readonly unknown[] {
  return lines.map((line) => JSON.parse(line) as unknown);
}

const LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error"];

describe("the JSON logger", () => {
  it.each([
    ["debug", LEVELS],
    ["info", LEVELS.slice(1)],
    ["warn", LEVELS.slice(2)],
    ["error", LEVELS.slice(3)],
    [undefined, LEVELS.slice(1)],
  ] as const)("EVENT-5 at level %s writes that and what is above it", (level, expected) => {
    const { logger, lines } = written(level === undefined ? {} : { level });
    for (const each of LEVELS) logger[each](each);
    expect(parsed(lines)).toEqual(expected.map((each) => ({ time: 7, level: each, message: each })));
  });

  it("EVENT-5 adds the fields of its children to each of their lines, and of theirs", () => {
    const { logger, lines } = written();
    const child = logger.child({ a: 1, b: 1 });
    child.child({ b: 2, c: 2 }).info({ c: 3 }, "grandchild");
    child.info("child");
    logger.info("self");
    expect(parsed(lines)).toEqual([
      { time: 7, level: "info", a: 1, b: 2, c: 3, message: "grandchild" },
      { time: 7, level: "info", a: 1, b: 1, message: "child" },
      { time: 7, level: "info", message: "self" },
    ]);
  });

  it("EVENT-5 keeps the level of its parent in a child", () => {
    const { logger, lines } = written({ level: "warn" });
    logger.child({ a: 1 }).info("no");
    logger.child({ a: 1 }).warn("yes");
    expect(lines).toHaveLength(1);
  });

  it("EVENT-5 writes an error as its name, message, code, stack and cause", () => {
    const { logger, lines } = written();
    const error = Object.assign(new RangeError("too far", { cause: new Error("why") }), { code: "E_FAR" });
    logger.error({ error }, "failed");
    expect(parsed(lines)).toMatchObject([
      {
        error: {
          name: "RangeError",
          message: "too far",
          code: "E_FAR",
          stack: expect.stringContaining("RangeError") as string,
          cause: { name: "Error", message: "why" },
        },
      },
    ]);
  });

  it("EVENT-5 takes the message first or the fields first", () => {
    const { logger, lines } = written();
    logger.info("said", { n: 1 });
    logger.info({ n: 1 }, "said");
    expect(parsed(lines)).toEqual(Array.from({ length: 2 }, () => ({ time: 7, level: "info", n: 1, message: "said" })));
  });
});

function cycle(): unknown {
  const self: Record<string, unknown> = {};
  return Object.assign(self, { self });
}

function hostileError(): Error {
  return Object.defineProperty(new Error("x"), "message", {
    get: () => {
      throw new Error("no message for you");
    },
  });
}

const fails = (): never => {
  throw new Error("hostile");
};

const harmless: readonly (readonly [string, unknown])[] = [
  ["a BigInt", 10n],
  ["a BigInt deep inside", { list: [{ n: 10n }] }],
  ["a cycle", cycle()],
  ["a symbol", Symbol("s")],
  ["a function", () => 1],
  ["undefined", undefined],
  ["lines", "one\ntwo\r\n\u2028three"],
  ["half a character", "\uD800"],
  ["an error with a cause that is a cycle", new Error("x", { cause: cycle() })],
  ["an error whose message throws", hostileError()],
  ["a toJSON that throws", { toJSON: fails }],
  ["a toJSON that gives a cycle", { toJSON: cycle }],
  ["a toJSON that gives nothing", { toJSON: () => undefined }],
  ["a getter that throws", Object.defineProperty({}, "x", { enumerable: true, get: fails })],
  ["an object without a prototype", Object.create(null) as unknown],
  ["a date that is none", new Date(Number.NaN)],
  ["what is nested beyond any stack", nested(20_000)],
];

/** Values for which even `Object.prototype.toString` or `String` fails. */
const hostile: readonly (readonly [string, unknown])[] = [
  ["a revoked proxy", revoked()],
  ["a proxy that refuses everything", new Proxy({}, { get: fails, getPrototypeOf: fails, ownKeys: fails })],
  ["a tag that throws", Object.defineProperty(cycle() as object, Symbol.toStringTag, { get: fails })],
  ["a function that cannot be text", Object.assign(() => 1, { toString: fails })],
];

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = [value];
  return value;
}

function saysIt(value: unknown): void {
  const { logger, lines } = written();
  logger.info({ before: 1, value, after: 2 }, "said");
  logger.child({ value }).info("said");
  expect(lines).toHaveLength(2);
  expect(lines.filter((line) => /[\n\r]/u.test(line))).toEqual([]);
  expect(parsed(lines)).toMatchObject([
    { time: 7, level: "info", before: 1, after: 2, message: "said" },
    { level: "info", message: "said" },
  ]);
}

describe("a line of the JSON logger", () => {
  it.each(harmless)("EVENT-5 with %s in its fields harms nobody and is one line", (_, value) => saysIt(value));

  it.each(hostile)("EVENT-5 with %s in its fields harms nobody and is one line", (_, value) => saysIt(value));

  it("EVENT-5 is one line of JSON even where the fields are called like something that JSON asks for", () => {
    const { logger, lines } = written();
    logger.info({ toJSON: () => undefined }, "said");
    logger.info({ toJSON: fails, value: 1 }, "said");
    expect(parsed(lines)).toMatchObject(Array.from({ length: 2 }, () => ({ level: "info", message: "said" })));
  });

  it("EVENT-5 of a step may hold anything, and the step succeeds", async () => {
    const lines: string[] = [];
    await using test = await openTestEngine({
      logger: createJsonLogger({ write: (line) => lines.push(line) }),
      agents: {
        work: (_, { log }) => {
          for (const [, value] of harmless) log.info({ value }, "said");
          return "done";
        },
      },
    });
    expect(await (await test.start(one())).result()).toBe("done");
    expect(lines.filter((line) => line.includes('"said"'))).toHaveLength(harmless.length);
  });
});

/** The relevant types of pino (pino 9 and 10, `pino.d.ts`). */
interface PinoLogFn {
  (obj: unknown, msg?: string, ...args: readonly unknown[]): void;
  (msg: string, ...args: readonly unknown[]): void;
}

interface PinoLike {
  level: string;
  readonly trace: PinoLogFn;
  readonly debug: PinoLogFn;
  readonly info: PinoLogFn;
  readonly warn: PinoLogFn;
  readonly error: PinoLogFn;
  readonly fatal: PinoLogFn;
  readonly silent: PinoLogFn;
  child(bindings: Record<string, unknown>, options?: { readonly level?: string }): PinoLike;
}

/** Like pino: the first argument may be the message or the fields, and methods need their logger as `this`. */
function pinoLike(lines: unknown[], bindings: object = {}): PinoLike {
  function log(this: PinoLike | void, first: unknown, message?: string): void {
    if (this === undefined) throw new TypeError("pino's methods are called on their logger");
    lines.push(
      typeof first === "string" ? { ...bindings, msg: first } : { ...bindings, ...(first as object), msg: message },
    );
  }
  const all = {
    trace: log,
    debug: log,
    info: log,
    warn: log,
    error: log,
    fatal: log,
    silent: log,
  } as never as PinoLike;
  return Object.assign(all, {
    level: "info",
    child: (more: Record<string, unknown>) => pinoLike(lines, { ...bindings, ...more }),
  });
}

it.runIf(existsSync("/dev/full"))("the JSON logger does not end a process whose stderr is full", () => {
  const source = new URL("../../src/events/json-logger.ts", import.meta.url).href;
  const program = `
    import { createJsonLogger } from ${JSON.stringify(source)};
    const logger = createJsonLogger();
    for (let line = 0; line < 3; line++) logger.error("lost");
    setTimeout(() => console.log("goes on"), 50);`;
  const full = openSync("/dev/full", "w");
  const run = spawnSync(process.execPath, ["--input-type=module", "-e", program], { stdio: ["ignore", "pipe", full] });
  closeSync(full);
  expect([run.status, String(run.stdout)]).toEqual([0, "goes on\n"]);
});

describe("a logger of the kind of pino", () => {
  it("EVENT-5 fits as it is, by its types and by how it is called", async () => {
    const lines: unknown[] = [];
    const options: Pick<EngineOptions, "logger"> = { logger: pinoLike(lines) };
    await using test = await openTestEngine({
      ...options,
      onFault: (error) => lines.push(error),
      agents: { work: (_, { log }) => log.info({ n: 1 }, "hello") },
    });
    const { id } = await test.start(one());
    await test.untilIdle();
    expect(lines).toContainEqual(
      expect.objectContaining({ executionId: id, step: "a", attempt: 1, n: 1, msg: "hello" }),
    );
    expect(lines).toContainEqual(expect.objectContaining({ executionId: id, msg: "execution.completed" }));
    expect(lines.filter((line) => line instanceof Error)).toEqual([]);
  });

  it("EVENT-5 is also the console, but for `child`", async () => {
    const { debug, info, warn, error } = console;
    const fits: Omit<Logger, "child"> = { debug, info, warn, error };
    expect(Object.keys(fits)).toEqual(["debug", "info", "warn", "error"]);
  });
});
