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
