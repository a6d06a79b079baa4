import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Engine } from "@segno/engine";
import { MemoryStore } from "@segno/engine/testing";
import { JournalTasks } from "../../src/executor/journal-tasks.ts";
import type { RecordedBackendOptions } from "../../src/tasks/recorded-backend.ts";
import { describeTaskBackend, type TaskBackendSubject } from "../tasks/task-backend-contract.ts";
import { MemoryExecutor } from "./memory-executor.ts";
import { Gate, independent } from "./memory-scripts.ts";

interface OpenEngines extends AsyncDisposable {
  readonly engine: Engine;
  /** The engine through which another process writes. */
  readonly other: Engine;
}

async function oneProcess(): Promise<OpenEngines> {
  const engine = await Engine.open({ store: new MemoryStore() });
  return { engine, other: engine, [Symbol.asyncDispose]: () => engine.close() };
}

async function twoProcesses(): Promise<OpenEngines> {
  const folder = mkdtempSync(join(tmpdir(), "segno-journal-tasks-"));
  const options = { file: join(folder, "segno.db"), durability: "relaxed", pollMs: 5 } as const;
  const [engine, other] = [await Engine.open(options), await Engine.open(options)];
  return {
    engine,
    other,
    async [Symbol.asyncDispose]() {
      await other.close();
      await engine.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Two workflows that run: an agent works on the only task of each until the test has ended. */
async function open(
  openEngines: () => Promise<OpenEngines>,
  options?: RecordedBackendOptions,
): Promise<TaskBackendSubject> {
  const engines = await openEngines();
  const { engine, other } = engines;
  const gates = { first: new Gate(), second: new Gate() };
  const { executor } = new MemoryExecutor(
    { first: gates.first.script, second: gates.second.script },
    { engine, ports: { taskBackend: undefined as never } },
  );
  for (const [id, task] of [["w", "first"] as const, ["v", "second"] as const]) {
    await executor.instantiateTemplate(independent(task), {}, id);
    executor.executeWorkflow(id).catch(() => undefined);
    await gates[task].begun;
  }
  return {
    tasks: new JournalTasks(engine, options),
    elsewhere: new JournalTasks(other, options),
    async [Symbol.asyncDispose]() {
      for (const id of ["w", "v"]) await executor.cancelWorkflow(id);
      for (const gate of Object.values(gates)) gate.open();
      await executor.close();
      await engines[Symbol.asyncDispose]();
    },
  };
}

describeTaskBackend("the engine's own store", (options) => open(oneProcess, options));
describeTaskBackend("the engine's own store, with a second process", (options) => open(twoProcesses, options));
