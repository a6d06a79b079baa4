// Events of one execution, written down the way a journal has them, and the execution that follows them, for views to be tried on.

import type { WatchEvent } from "@segno/engine";
import {
  compileOrThrow,
  createState,
  epochMs,
  executionId,
  type Definition,
  type EpochMs,
  type Event,
  type Json,
  type Program,
  type State,
} from "@segno/kernel";

import { FollowedExecution } from "../src/progress/followed-execution.ts";

type Body = Event extends infer Each ? (Each extends Event ? Omit<Each, "v" | "seq" | "at"> : never) : never;

export const ID = "01a1e272-aa02-7c93-83d6-2d13bfa64af0";

const RUN = { kind: "run", script: "true" };
const RETRY = { attempts: 3 };

export class ScriptedEvents {
  readonly state: State;
  readonly execution: FollowedExecution;
  #seq = 0;

  /** The steps of the workflow `release`: with these names and nothing else, or as a definition has them. */
  constructor(steps: readonly (string | object)[]) {
    this.state = createState(toProgram(steps));
    this.execution = new FollowedExecution(ID, this.state);
  }

  /** Tells the next event, at a time in milliseconds since the story began. */
  tell(at: number, body: Body): WatchEvent {
    const watched = this.event(at, body);
    this.execution.apply(watched);
    return watched;
  }

  event(at: number, body: Body): WatchEvent {
    const event = { v: 1, seq: ++this.#seq, at: at as EpochMs, ...body } as Event;
    const step = "step" in event && event.step !== undefined ? { step: this.execution.nameOf(event.step) } : {};
    return {
      kind: event.kind,
      executionId: executionId(ID),
      workflow: "release",
      correlationId: ID,
      seq: event.seq,
      at,
      event,
      ...step,
    };
  }

  /** Created, validated and started. */
  begin(at: number = 0): readonly WatchEvent[] {
    const created = this.tell(at, {
      kind: "execution.created",
      execution: executionId(ID),
      definition: `sha256:${"0".repeat(64)}` as never,
      workflow: "release",
      input: { kind: "inline", json: null },
      seed: 1,
      correlationId: ID,
    });
    return [created, this.tell(at, { kind: "execution.validating" }), this.tell(at, { kind: "execution.started" })];
  }

  start(at: number, step: number, attempt: number = 1): WatchEvent {
    return this.tell(at, { kind: "step.started", step: step as never, attempt, epoch: attempt });
  }

  succeed(at: number, step: number): WatchEvent {
    return this.tell(at, { kind: "step.completed", step: step as never, output: { kind: "inline", json: null } });
  }

  fail(at: number, step: number, message: string): WatchEvent {
    return this.tell(at, { kind: "step.failed", step: step as never, failure: failure(message) });
  }

  retry(at: number, step: number, message: string, dueAt: number): WatchEvent {
    return this.tell(at, {
      kind: "step.retried",
      step: step as never,
      failure: failure(message),
      dueAt: epochMs(dueAt),
    });
  }

  /** Opens a map into these items. */
  open(at: number, step: number, items: readonly Json[]): WatchEvent {
    const children = { kind: "items" as const, count: items.length, items: { kind: "inline" as const, json: items } };
    return this.tell(at, { kind: "step.expanded", step: step as never, children });
  }
}

/** A map with one step for each item. The label of an item is the item, if it is text. */
export function mapStep(id: string, each: object = {}): object {
  const steps = [{ id: "one", action: RUN, retry: RETRY, ...each }];
  return { id, action: { kind: "map", over: "input", label: "${ item }", steps } };
}

/** The names are set after the definition is compiled, because tests use names that no definition may have. */
function toProgram(steps: readonly (string | object)[]): Program {
  const written = steps.map((step, index) => (typeof step === "string" ? plainStep(index) : step));
  const program = compileOrThrow({ name: "release", steps: written } as unknown as Definition);
  const compiled = program.steps.map((step, index) => {
    const name = steps[index];
    return typeof name === "string" ? { ...step, definition: { ...step.definition, id: name as never } } : step;
  });
  return { ...program, steps: compiled };
}

function plainStep(index: number): object {
  return { id: `s${index}`, action: RUN, retry: RETRY };
}

export function failure(message: string, code: string = "COMMAND_FAILED") {
  return { class: "transient" as const, code, message };
}
