// The outputs of an execution's tasks, as its journal has them.
//
//   J1. They are read from the state that the journal gave and from nowhere else: nothing that only this process knows
//       decides what a task sees, so a process that goes on after a crash shows the same.
//   J2. Large values lie beside the journal. They are loaded once, before the first task that could ask for them begins;
//       what ends while this process runs the execution is in memory already.
//   J3. Whoever gets a value cannot change it for others.

import { InvariantViolation, stepNamed, type ContentHash, type Json, type State, type Value } from "@segno/kernel";
import { deepFreeze } from "@segno/kernel/deep-freeze";
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

  /** Nothing where the step has not succeeded. */
  of(stepId: string): Json | undefined {
    const place = stepNamed(this.state, stepId);
    const event = place === undefined ? undefined : this.state.last[place];
    return event?.kind === "step.completed" ? deepFreeze(this.#load(event.output)) : undefined;
  }

  /** What the workflow was given. */
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

/** At once where all is in memory, which is so unless another process began the execution. */
export function taskOutputs(engine: Engine, state: State): TaskOutputs | Promise<TaskOutputs> {
  const hashes = storedHashes(state);
  if (hashes.length === 0) return new TaskOutputs(state, NO_VALUES);
  const { execution } = state.created!;
  return engine.extensions.readValues(execution, hashes).then((values) => new TaskOutputs(state, values));
}

function storedHashes({ created, last }: State): readonly ContentHash[] {
  const hashes: ContentHash[] = [];
  const add = (value: Value): void => void (value.kind === "stored" && hashes.push(value.hash));
  if (created !== undefined) add(created.input);
  for (const event of last) if (event?.kind === "step.completed") add(event.output);
  return hashes;
}
