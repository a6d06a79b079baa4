// The outputs of an execution's tasks, from its journal.
//
//   J1. Outputs are read only from the state that the journal gives. No process-local data decides what a task sees, so
//       a process that continues after a crash sees the same.
//   J2. Large values are stored outside the journal. They are loaded once, before the first task that could read them.
//       Outputs that this process produced are already in memory.
//   J3. Values are frozen.

import type { Engine } from "@segno/engine";
import { InvariantViolation, stepNamed, type ContentHash, type Json, type State, type Value } from "@segno/kernel";
import { deepFreeze } from "@segno/kernel/deep-freeze";

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
    const event = place === undefined ? undefined : this.state.phaseEvents[place];
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
  const hashes = storedHashes(state);
  if (hashes.length === 0) return new TaskOutputs(state, NO_VALUES);
  const { execution } = state.created!;
  return engine.extensions.readValues(execution, hashes).then((values) => new TaskOutputs(state, values));
}

function storedHashes({ created, phaseEvents }: State): readonly ContentHash[] {
  const hashes: ContentHash[] = [];
  const add = (value: Value): void => void (value.kind === "stored" && hashes.push(value.hash));
  if (created !== undefined) add(created.input);
  for (const event of phaseEvents) if (event?.kind === "step.completed") add(event.output);
  return hashes;
}
