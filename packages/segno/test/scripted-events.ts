// A story: events of one execution, written down the way a journal would have them, for views to be tried on.

import type { ExecutionReport, StepReport, WatchEvent } from "@segno/engine";
import { epochMs, executionId, type Event, type EpochMs } from "@segno/kernel";

import { ExecutionProgress } from "../src/progress/execution-progress.ts";

type Body = Event extends infer Each ? (Each extends Event ? Omit<Each, "v" | "seq" | "at"> : never) : never;

export const ID = "01a1e272-aa02-7c93-83d6-2d13bfa64af0";

export class ScriptedEvents {
  readonly progress: ExecutionProgress;
  readonly #names: string[];
  #seq = 0;

  constructor(names: readonly string[]) {
    this.#names = [...names];
    this.progress = new ExecutionProgress(ID);
    this.progress.loadSteps(this.report());
  }

  /** Tells the next event, at a time in milliseconds since the story began. */
  tell(at: number, body: Body): WatchEvent {
    const watched = this.event(at, body);
    this.progress.apply(watched);
    return watched;
  }

  event(at: number, body: Body): WatchEvent {
    const event = { v: 1, seq: ++this.#seq, at: at as EpochMs, ...body } as Event;
    const step = "step" in event && event.step !== undefined ? { step: this.#names[event.step]! } : {};
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
  begin(at: number = 0): void {
    this.tell(at, {
      kind: "execution.created",
      execution: executionId(ID),
      definition: `sha256:${"0".repeat(64)}` as never,
      workflow: "release",
      input: { kind: "inline", json: null },
      seed: 1,
      correlationId: ID,
    });
    this.tell(at, { kind: "execution.validating" });
    this.tell(at, { kind: "execution.started" });
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

  report(changes: Readonly<Record<string, Partial<StepReport>>> = {}): ExecutionReport {
    return {
      status: "running",
      round: 1,
      seq: this.#seq,
      at: epochMs(0),
      heartbeats: {},
      steps: this.#names.map((name, place) => ({
        place,
        name,
        attemptsMax: 3,
        status: "waiting",
        attempts: 0,
        epoch: 0,
        unmet: 0,
        detail: { kind: "none" },
        ...changes[name],
      })),
    };
  }
}

export function failure(message: string, code: string = "COMMAND_FAILED") {
  return { class: "transient" as const, code, message };
}
