// The context of a task: the workflow's context, and the outputs of earlier tasks under their ids and names
// (ENGINES-4).
//
// It is a proxy that looks like a filled object and reads from the journal's state; nothing is copied. Filling an
// object would cost one key per earlier task, for every task. The proxy costs one look-up per requested key, and as
// much as an object only if all keys are requested. It cannot be posted to a thread or structurally cloned; `{
// ...context }` can.
//
//   C1. The context and its values are read-only: every write is refused.
//   C2. Keys are only keys: no task name reaches a prototype.
//   C3. If several tasks have one name, the last of them in the execution order counts. An output takes precedence over
//       the workflow's context. A skipped task has no output.

import { inspect } from "node:util";
import { isJsonObject, type Json, type JsonObject } from "@segno/kernel";
import type { TaskOutputs } from "./task-outputs.ts";
import type { TaskContext } from "./task-definition.ts";
import type { VisibleTasks, TaskPlan } from "./task-plan.ts";

const NOTHING: JsonObject = Object.freeze({});

export function taskContext(plan: TaskPlan, outputs: TaskOutputs, visibleTasks: VisibleTasks): TaskContext {
  return new Proxy(WINDOW, new ContextWindow(plan, outputs, visibleTasks));
}

/** A plain object with all entries of a context, which can be posted and cloned. */
export function plainContext(context: TaskContext): TaskContext {
  return { ...context };
}

/** The target of the proxy, which `util.inspect` shows instead of the proxy. */
const WINDOW: TaskContext = Object.defineProperty(Object.create(null) as TaskContext, inspect.custom, {
  value(this: TaskContext): TaskContext {
    return plainContext(this);
  },
  configurable: true,
});

class ContextWindow implements ProxyHandler<TaskContext> {
  readonly #plan: TaskPlan;
  readonly #outputs: TaskOutputs;
  readonly #sight: VisibleTasks;

  constructor(plan: TaskPlan, outputs: TaskOutputs, visibleTasks: VisibleTasks) {
    this.#plan = plan;
    this.#outputs = outputs;
    this.#sight = visibleTasks;
  }

  get(_: TaskContext, key: string | symbol): Json | undefined {
    return typeof key === "string" ? this.#value(key) : undefined;
  }

  has(_: TaskContext, key: string | symbol): boolean {
    return typeof key === "string" && this.#value(key) !== undefined;
  }

  ownKeys(): string[] {
    const keys = new Set(Object.keys(this.#given));
    for (let position = 0; position < this.#sight.end; position++) {
      const { task, stepId } = this.#plan.tasks[position]!;
      if (this.#sight.isVisible(position) && this.#outputs.of(stepId) !== undefined) keys.add(task.id).add(task.name);
    }
    return [...keys];
  }

  getOwnPropertyDescriptor(_: TaskContext, key: string | symbol): PropertyDescriptor | undefined {
    const value = typeof key === "string" ? this.#value(key) : undefined;
    return value === undefined ? undefined : { value, writable: false, enumerable: true, configurable: true };
  }

  set(): boolean {
    return false;
  }

  defineProperty(): boolean {
    return false;
  }

  deleteProperty(): boolean {
    return false;
  }

  setPrototypeOf(): boolean {
    return false;
  }

  preventExtensions(): boolean {
    return false;
  }

  #value(key: string): Json | undefined {
    const tasks = this.#plan.under(key);
    for (let index = tasks.length - 1; index >= 0; index--) {
      const { position, stepId } = tasks[index]!;
      const output = this.#sight.isVisible(position) ? this.#outputs.of(stepId) : undefined;
      if (output !== undefined) return output;
    }
    return Object.hasOwn(this.#given, key) ? this.#given[key] : undefined;
  }

  get #given(): JsonObject {
    const { input } = this.#outputs;
    return isJsonObject(input) ? input : NOTHING;
  }
}
