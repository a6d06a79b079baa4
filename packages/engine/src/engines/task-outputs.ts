// The outputs of an execution's tasks, from its journal.
//
//   J1. Outputs are read only from the state that the journal gives. No process-local data decides what a task sees, so
//       a process that continues after a crash sees the same.
//   J2. Large values are stored outside the journal. They are loaded once, before the first task that could read them.
//       Outputs that this process produced are already in memory.
//   J3. Values are frozen.

import { deepFreeze } from "@segno/contract";
import { InvariantViolation, stepNamed, type ContentHash, type Json, type State, type Value } from "@segno/kernel";
import type { Engine } from "../api/engine.ts";

type Values = ReadonlyMap<ContentHash, Json>;

const NO_VALUES: Values = new Map();

export class TaskOutputs {
  readonly state: State;
  readonly #values: Values;

  constructor(state: State, values: Values) {
    this.state = state;
    this.#values = values;
  }

  /** Undefined if the step has not succeeded. */
  of(stepId: string): Json | undefined {
    const place = stepNamed(this.state, stepId);
    const event = place === undefined ? undefined : this.state.last[place];
    return event?.kind === "step.completed" ? deepFreeze(this.#load(event.output)) : undefined;
  }

  /** The workflow's context. */
  get input(): Json {
    const { created } = this.state;
    return created === undefined ? null : deepFreeze(this.#load(created.input));
  }

  #load(value: Value): Json {
    if (value.kind === "inline") return value.json;
    const json = value.kind === "stored" ? this.#values.get(value.hash) : undefined;
    if (json === undefined) throw new InvariantViolation("JOURNAL-4", "a value of a task was never loaded");
    return json;
  }
}

/** Synchronous if all values are in memory, which is so unless another process began the execution. */
export function taskOutputs(engine: Engine, state: State): TaskOutputs | Promise<TaskOutputs> {
  if (!hasStored(state)) return new TaskOutputs(state, NO_VALUES);
  return storedValues(engine, state).then((values) => new TaskOutputs(state, values));
}

function hasStored({ created, last }: State): boolean {
  if (created?.input.kind === "stored") return true;
  return last.some((event) => event?.kind === "step.completed" && event.output.kind === "stored");
}

async function storedValues(engine: Engine, state: State): Promise<Values> {
  const values = new Map<ContentHash, Json>();
  for await (const text of engine.export(state.created!.execution)) {
    const line = JSON.parse(text) as { kind: string; hash: ContentHash; body: string };
    if (line.kind === "value") values.set(line.hash, JSON.parse(line.body) as Json);
  }
  return values;
}
