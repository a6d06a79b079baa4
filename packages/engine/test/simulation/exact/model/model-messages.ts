// Signals, votes and times that steps of the reference model wait for (BEYOND-2).

import type { ModelExecution } from "./model-execution.ts";
import { UNKNOWN, type ModelStep } from "./model-step.ts";

interface Signal {
  readonly id: string;
  readonly name: string;
  readonly payload: number | string;
  readonly refusedBy: Set<ModelStep>;
}

export class ModelMessages {
  readonly #execution: ModelExecution;
  readonly #seen = new Set<string>();
  readonly #ballots = new Set<string>();
  #pending: Signal[] = [];
  /** In the order in which they began to wait. */
  #waiting: ModelStep[] = [];

  constructor(execution: ModelExecution) {
    this.#execution = execution;
  }

  suspend(step: ModelStep): void {
    const { action } = step.definition;
    const { world } = this.#execution;
    const timeout =
      action.kind === "approve"
        ? action.expires
        : action.kind === "wait" && action.on !== "time"
          ? action.on === "signal"
            ? action.timeout
            : action.for
          : undefined;
    const dueAtMs = timeout === undefined ? undefined : world.nowMs + timeout;
    Object.assign(step, { phase: "suspended", dueAtMs, votes: [] });
    this.#execution.fact(`waits ${step.name} until ${dueAtMs ?? "-"}`);
    if (action.kind === "wait" && action.on === "signal") this.#waiting.push(step);
    if (dueAtMs !== undefined) world.at(dueAtMs, this.#execution, () => this.#timeOver(step, dueAtMs));
  }

  forget(step: ModelStep): void {
    this.#waiting = this.#waiting.filter((other) => other !== step);
  }

  #timeOver(step: ModelStep, dueAtMs: number): void {
    if (step.phase !== "suspended" || step.dueAtMs !== dueAtMs) return;
    const { action } = step.definition;
    this.forget(step);
    if (action.kind === "wait" && action.on === "duration") return this.#execution.complete(step);
    const isApproved = action.kind === "approve" && action.onExpire === "approve";
    if (!isApproved) return this.#execution.fail(step, "timeout");
    step.output = UNKNOWN;
    this.#execution.complete(step);
  }

  signal(id: string, name: string, payload: number | string): string {
    if (this.#execution.hasEnded) return "ignored ended";
    if (this.#seen.has(id)) return "ignored duplicate";
    this.#seen.add(id);
    this.#pending.push({ id, name, payload, refusedBy: new Set() });
    this.#execution.fact(`signal ${id}`);
    return "accepted";
  }

  /** The sender learns that the waiting step refused the signal. */
  isRefused(id: string): boolean {
    const signal = this.#pending.find((each) => each.id === id);
    return signal !== undefined && this.#waiting.some((step) => signal.refusedBy.has(step));
  }

  /** Gives the oldest matching signal to the step that has waited longest for it; false if there is no such pair. */
  match(): boolean {
    for (const signal of this.#pending)
      for (const step of this.#waiting)
        if (toName(step) === signal.name && !signal.refusedBy.has(step)) {
          this.#deliver(signal, step);
          return true;
        }
    return false;
  }

  #deliver(signal: Signal, step: ModelStep): void {
    const { action } = step.definition;
    const hasSchema = action.kind === "wait" && action.on === "signal" && action.schema !== undefined;
    if (hasSchema && typeof signal.payload !== "number") {
      signal.refusedBy.add(step);
      return this.#execution.fact(`refused ${signal.id} ${step.name}`);
    }
    this.#pending = this.#pending.filter((other) => other !== signal);
    this.forget(step);
    step.output = signal.payload;
    this.#execution.complete(step, ` by ${signal.id}`);
  }

  vote(name: string, id: string, by: string, verdict: string): string {
    const execution = this.#execution;
    const step = execution.frames[0]!.steps.find((each) => each.name === name);
    if (step !== undefined && this.#ballots.has(`${name} ${id}`)) return "ignored duplicate";
    if (execution.hasEnded) return "ignored ended";
    if (step === undefined) return "ignored unknown-step";
    const { action } = step.definition;
    if (action.kind !== "approve") return "ignored not-an-approval";
    if (step.phase !== "suspended") return "ignored not-waiting";
    if (action.by !== undefined && !action.by.includes(by)) return "ignored not-an-approver";
    this.#ballots.add(`${name} ${id}`);
    execution.fact(`vote ${name} ${id}`);
    // A request for changes asks every voter again; only the latest vote of each voter counts.
    step.votes = verdict === "changes" ? [] : [...step.votes.filter((vote) => vote.by !== by), { by, verdict }];
    this.#count(step, action.quorum ?? 1);
    return "accepted";
  }

  #count(step: ModelStep, quorum: number): void {
    if (step.votes.some(({ verdict }) => verdict === "reject")) return this.#execution.fail(step, "permanent");
    if (step.votes.length < quorum) return;
    step.output = UNKNOWN;
    this.#execution.complete(step);
  }
}

function toName({ definition: { action } }: ModelStep): string | undefined {
  return action.kind === "wait" && action.on === "signal" ? action.signal : undefined;
}
