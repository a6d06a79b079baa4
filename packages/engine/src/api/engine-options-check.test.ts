import { describe, expect, it } from "vitest";
import { agent } from "../builder/named-agent.ts";
import { workflow } from "../builder/workflow.ts";
import { Engine } from "./engine.ts";
import type { EngineOptions } from "./engine-options.ts";
import { MemoryStore } from "../store/memory/memory-store.ts";

/** Passes options of any type, as an untyped program can. */
function open(options: unknown): Promise<Engine> {
  return Engine.open(options as EngineOptions);
}

const BAD: readonly (readonly [options: unknown, message: string])[] = [
  [null, "`options` is an object, not null"],
  ["segno.db", '`options` is an object, not "segno.db"'],
  [{ limit: { slots: 1 } }, "an engine has no option `limit`; did you mean `limits`?"],
  [{ store: "memory" }, '`store` is "none" or a store, not "memory"'],
  [{ store: {} }, '`store` is "none" or a store, not an object'],
  [{ file: 5 }, "`file` is the path of a file, not 5"],
  [{ file: "" }, '`file` is the path of a file, not ""'],
  [{ store: "none", file: "a.db" }, "give either `store` or `file`, not both"],
  [{ durability: "most" }, '`durability` is "full" or "relaxed", not "most"'],
  [{ writer: "process" }, '`writer` is "auto", "main" or "thread", not "process"'],
  [{ mode: "readonly" }, '`mode` is "own", "post" or "readOnly", not "readonly"'],
  [{ codec: { encode: String } }, "`codec` is an object with `encode`, `decode`, not an object"],
  [{ workflows: { a: 1 } }, "`workflows` is a list of workflows, not an object"],
  [
    { agents: [] },
    "`agents` is an object of functions, of agents with `execute`, or of results of `agent(name, work)`, by their names, not a list",
  ],
  [
    { agents: { a: "b" } },
    "`agents` is an object of functions, of agents with `execute`, or of results of `agent(name, work)`, by their names, not an object",
  ],
  [{ agents: { a: agent("b", () => 1) } }, "the agent `b` is given under the name `a`; give it under its own name"],
  [{ unwatchedFailures: "silent" }, '`unwatchedFailures` is "warn" or "ignore", not "silent"'],
  [{ limits: 10 }, "`limits` is an object, not 10"],
  [{ limits: { slots: -1 } }, "`limits.slots` is a whole number from 0 on, not -1"],
  [{ limits: { slots: Number.NaN } }, "`limits.slots` is a whole number from 0 on, not NaN"],
  [{ limits: { slots: "5" } }, '`limits.slots` is a whole number from 0 on, not "5"'],
  [{ limits: { perAgent: 0 } }, "`limits.perAgent` is a whole number from 1 on, not 0"],
  [{ limits: { slot: 1 } }, "`limits` has no option `slot`; did you mean `slots`?"],
  [{ retention: { endedMs: "1d" } }, '`retention.endedMs` is a number of milliseconds from 0 on, not "1d"'],
  [{ inheritEnv: "HOME" }, '`inheritEnv` is a list of names, not "HOME"'],
  [{ secrets: {} }, "`secrets` is a function, or an object with `get` and `where`, not an object"],
  [{ callbackTimeoutMs: 0 }, "`callbackTimeoutMs` is a number of milliseconds above 0, not 0"],
  [{ failures: { classify: "x" } }, '`failures.classify` is a function, not "x"'],
  [{ resources: { db: 5 } }, "`resources` is an object of resources by their names, not an object"],
  [{ resources: { db: { capacity: 2 } } }, '`resources.db.kind` is "capacity", not undefined'],
  [{ resources: { db: { kind: "capacity" } } }, "`resources.db.capacity` is a whole number from 1 on, not undefined"],
  [
    { resources: { api: { kind: "quota", rate: 1, per: 0 } } },
    "`resources.api.per` is a number of milliseconds above 0, not 0",
  ],
  [
    { strategy: "random" },
    '`strategy` is "fifo", "priority", "parallel", "sequential", "hybrid", or an object with `select`, not "random"',
  ],
  [{ breaker: true }, "`breaker` is an object, or false, not true"],
  [{ breaker: { failures: 0 } }, "`breaker.failures` is a whole number from 1 on, not 0"],
  [{ pollMs: 0 }, "`pollMs` is a number of milliseconds above 0, not 0"],
  [{ logger: () => undefined }, "`logger` is an object with `debug`, `info`, `warn`, `error`, `child`, not a function"],
  [{ onFault: "log" }, '`onFault` is a function, not "log"'],
];

describe("what an engine is opened with", () => {
  it.each(BAD)("OPTION_INVALID %j is refused, and what it should be is said", async (options, message) => {
    await expect(open(options)).rejects.toMatchObject({ code: "OPTION_INVALID", message });
  });

  it("an option that is undefined was not given, and a limit may be Infinity", async () => {
    await using engine = await open({ store: new MemoryStore(), limits: { slots: Infinity }, pollMs: undefined });
    expect(engine.isOwner).toBe(true);
  });
});

describe("what is handed to an open engine", () => {
  it.each([
    [5, "5"],
    ["x", undefined],
    [{ steps: "none" }, "an object"],
    [{ definition: null }, "an object"],
    [() => 1, "a function"],
  ])("DEFINITION_INVALID %j is no workflow, and is refused with a code", async (given, shown) => {
    await using engine = await open({ store: "none" });
    const code = shown === undefined ? "WORKFLOW_UNKNOWN" : "DEFINITION_INVALID";
    await expect(engine.start(given as never)).rejects.toMatchObject({ code });
  });

  it("OPTION_INVALID options of a start that are none are refused before anything is created", async () => {
    await using engine = await open({ store: "none" });
    const built = workflow("w").step("a", async () => 1);
    const start = (options: unknown): Promise<unknown> => engine.start(built, null, options as never);
    await expect(start(null)).rejects.toMatchObject({ code: "OPTION_INVALID" });
    await expect(start({ priority: "high" })).rejects.toMatchObject({ message: '`priority` is a number, not "high"' });
    await expect(start({ priority: Number.NaN })).rejects.toMatchObject({ code: "OPTION_INVALID" });
    await expect(start({ key: "k" })).rejects.toMatchObject({ message: "a start has no option `key`" });
    expect((await engine.list()).executions).toEqual([]);
  });

  it("OPTION_INVALID an agent that cannot be called is refused", async () => {
    await using engine = await open({ store: "none" });
    expect(() => engine.agent("a", {} as never)).toThrow(
      "`a` is a function, an agent with `execute`, or the result of `agent(name, work)`, not an object",
    );
  });
});
