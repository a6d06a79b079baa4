// Tasks in order of insertion, found by id or by name.
//
//   T1. An id names one task. Several tasks may share a name; a look-up of a shared name is refused (ruling 41).
//   T2. An id takes precedence over an equal name.

import { closest, SegnoError } from "@segno/kernel";
import type { TaskDefinition } from "./task-definition.ts";

export class TaskTable {
  readonly #all: TaskDefinition[] = [];
  readonly #byId = new Map<string, TaskDefinition>();
  readonly #byName = new Map<string, TaskDefinition[]>();

  get all(): readonly TaskDefinition[] {
    return this.#all;
  }

  add(task: TaskDefinition): void {
    const { id, name } = task;
    if (this.#byId.has(id)) throw new SegnoError("DEFINITION_INVALID", `a task with the id \`${id}\` already exists`);
    this.#all.push(task);
    this.#byId.set(id, task);
    const named = this.#byName.get(name);
    if (named === undefined) this.#byName.set(name, [task]);
    else named.push(task);
  }

  find(idOrName: string): TaskDefinition | undefined {
    const known = this.#byId.get(idOrName);
    if (known !== undefined) return known;
    const named = this.#byName.get(idOrName) ?? [];
    if (named.length > 1) throw ambiguous(idOrName, named);
    return named[0];
  }

  /** The task that another one depends on; exactly one must match. */
  dependency(dependant: TaskDefinition, idOrName: string): TaskDefinition {
    const found = this.find(idOrName);
    if (found !== undefined) return found;
    // A suggestion for a misspelt name never names the dependant itself.
    const others = [...this.#byName.keys()].filter((name) => name !== dependant.name);
    const near = closest(idOrName, others);
    const hint = near === undefined ? "" : `; did you mean \`${near}\`?`;
    throw new SegnoError(
      "TASK_UNKNOWN",
      `the task \`${dependant.name}\` depends on \`${idOrName}\`, which is not a task of this workflow${hint}`,
    );
  }
}

function ambiguous(name: string, tasks: readonly TaskDefinition[]): SegnoError {
  const ids = tasks.map(({ id }) => `\`${id}\``).join(" and ");
  return new SegnoError("TASK_AMBIGUOUS", `\`${name}\` is the name of several tasks: ${ids}; use an id instead`);
}
