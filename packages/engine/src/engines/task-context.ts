// The context of a task: what the workflow was given, and the outputs of the tasks before it under their ids and names
// (ENGINES-4).
//
// It looks like an object that somebody filled, and is a window on the journal: nothing is copied. Filling it would cost
// as many keys as there are tasks before, for every task, whether it looks or not; this costs one look-up for each key
// that is asked for, and as much as an object only where somebody asks for all keys. What it cannot do is to be sent to
// a thread or to be cloned by structure as it is; `{ ...context }` can.
//
//   C1. Nobody can change it, nor what is in it: every way to write is refused.
//   C2. Keys are keys: no name of a task reaches a prototype.
//   C3. Where several tasks have one name, the last of them in the execution order counts, and an output goes before what
//       the workflow was given. A task that was skipped leaves nothing.

import { inspect } from "node:util";
import { isJsonObject, type Json, type JsonObject } from "@segno/kernel";
import type { TaskOutputs } from "./task-outputs.ts";
import type { TaskContext } from "./task-definition.ts";
import type { VisibleTasks, TaskPlan } from "./task-plan.ts";

const NOTHING: JsonObject = Object.freeze({});

export function taskContext(plan: TaskPlan, outputs: TaskOutputs, visibleTasks: VisibleTasks): TaskContext {
  return new Proxy(WINDOW, new ContextWindow(plan, outputs, visibleTasks));
}

/** A plain object with everything that is in a context, which may be sent and cloned. */
export function plainContext(context: TaskContext): TaskContext {
  return { ...context };
}

/** What shows a context to people sees this in place of it, and asks it for what to show. */
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
