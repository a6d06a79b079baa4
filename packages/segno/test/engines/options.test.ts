// Misspelt or invalid options of engines and tasks.

import { describe, expect, it } from "vitest";
import { createEngine, ParallelEngine, SequentialEngine, WorkflowDefinition } from "../../src/engines.ts";
import { recordedLogger } from "@segno/engine/testing";
import { toWorkflow } from "./fixture.ts";

function catchRefusal(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    const { code, message } = error as { readonly code: string; readonly message: string };
    return `${code}: ${message}`;
  }
  return "nothing was refused";
}

describe("options of engines", () => {
  it.each([
    ["parallel", { maxWorker: 2 }, "a parallel engine has no option `maxWorker`; did you mean `maxWorkers`?"],
    ["parallel", { max_workers: 2 }, "a parallel engine has no option `max_workers`; did you mean `maxWorkers`?"],
    ["parallel", { barriers: false }, "a parallel engine has no option `barriers`; did you mean `barrier`?"],
    ["parallel", { barrier: "no" }, '`barrier` is true or false, not "no"'],
    ["parallel", { maxWorkers: 0 }, "`maxWorkers` is a whole number above 0, not 0"],
    ["sequential", { maxWorkers: 2 }, "a sequential engine has no option `maxWorkers`"],
    ["sequential", { maxretries: 2 }, "a sequential engine has no option `maxretries`; did you mean `maxRetries`?"],
    ["sequential", { maxRetries: "2" }, '`maxRetries` is a whole number from 0 to 65534, not "2"'],
    ["sequential", { file: "" }, '`file` is text, not ""'],
    ["sequential", { store: {} }, '`store` is "none" or a store, not an object'],
    ["sequential", { engine: {} }, "`engine` is an open engine, not an object"],
    ["sequential", { logger: {} }, "`logger` is an object with `debug`, `info`, `warn`, `error`, `child`"],
    ["parallel", null, "`options` is an object, not null"],
  ] as const)("ENGINES-2 OPTION_INVALID %s: %j is refused", (type, options, message) => {
    expect(catchRefusal(() => createEngine(type, options as never))).toContain(`OPTION_INVALID: ${message}`);
  });

  it("ENGINES-2 those of a constructor are refused alike", () => {
    expect(catchRefusal(() => new SequentialEngine({ grase: 1 } as never))).toContain("did you mean `grace`?");
    expect(catchRefusal(() => new ParallelEngine({ stor: "none" } as never))).toContain("did you mean `store`?");
  });

  it("ENGINES-6 one of an execution that does not exist rejects", async () => {
    await using engine = createEngine("parallel", { logger: recordedLogger() });
    const running = engine.execute(toWorkflow(["a", () => 1]), {}, { keys: "x" } as never);
    await expect(running).rejects.toMatchObject({ code: "OPTION_INVALID", message: expect.stringContaining("`key`") });
  });
});

describe("options of tasks", () => {
  const added = (options: unknown, action: unknown = () => 1) =>
    catchRefusal(() => new WorkflowDefinition().addTask("load", action as never, options as never));

  it.each([
    [{ dependancies: [] }, "the task `load` has no option `dependancies`; did you mean `dependencies`?"],
    [{ retry_delay: 1 }, "the task `load` has no option `retry_delay`; did you mean `retryDelay`?"],
    [{ timeoutMs: 1 }, "the task `load` has no option `timeoutMs`; did you mean `timeout`?"],
    [null, "`options` is an object, not null"],
    [["a"], "`options` is an object, not a list"],
  ])("ENGINES-1 OPTION_INVALID %j is refused", (options, message) => {
    expect(added(options)).toBe(`OPTION_INVALID: ${message}`);
  });

  it("ENGINES-1 a key of a module that does not exist is refused", () => {
    expect(added({}, { module: "./x.ts", exports: "run" })).toContain("did you mean `export`?");
  });

  it("ENGINES-1 an order that does not exist is refused", () => {
    const workflow = toWorkflow(["a"]);
    expect(catchRefusal(() => workflow.getExecutionOrder({ onCycle: "dropp" } as never))).toContain(
      '"refuse" or "drop"',
    );
    expect(catchRefusal(() => workflow.getExecutionOrder({ onCicle: "drop" } as never))).toContain("`onCycle`");
  });

  it("ENGINES-1 TASK_UNKNOWN a suggestion for a dependency never names the task itself", () => {
    const order = (...names: readonly string[]) => {
      const workflow = toWorkflow(...names.map((name) => [name] as const), ["loads", null, { dependencies: ["load"] }]);
      return catchRefusal(() => workflow.getExecutionOrder());
    };
    expect(order()).not.toContain("did you mean");
    expect(order("lead")).toContain("did you mean `lead`?");
  });
});
