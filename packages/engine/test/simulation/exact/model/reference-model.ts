// The reference model: predicts a run without faults, to the millisecond. It is a second implementation of
// docs/semantics.md.
//
//   R1. Occurrences happen one at a time, in order of time. Their consequences at the same time follow in turns, one
//       execution after the other. Consequences of one turn for one execution share its next turn.
//   R2. Two occurrences of different causes at the same time have no specified order; the model then cannot predict the
//       run.

import type { Definition } from "@segno/kernel";
import { toAct, type Act } from "../act.ts";
import type { Deed } from "../deeds.ts";
import type { Plan } from "../plan.ts";
import { ModelAdmission } from "./model-admission.ts";
import { ModelExecution } from "./model-execution.ts";
import { ModelKeys } from "./model-keys.ts";
import type { ModelStep } from "./model-step.ts";
import type { ModelWorld } from "./model-world.ts";

interface Occurrence {
  readonly atMs: number;
  readonly execution: ModelExecution | undefined;
  readonly work: () => void;
}

export class ReferenceModel implements ModelWorld {
  readonly executions: Map<string, ModelExecution> = new Map();
  readonly admission: ModelAdmission;
  /** The answer to each action of the plan, in order. */
  readonly answers: string[] = [];
  /** The reason why the model cannot predict the run. */
  doubt: string | undefined;
  nowMs = 0;
  readonly #plan: Plan;
  readonly #keys = new ModelKeys();
  #occurrences: Occurrence[] = [];
  #followUps: Occurrence[] = [];
  #inTurn: ModelExecution | undefined;

  constructor(plan: Plan) {
    this.#plan = plan;
    this.admission = new ModelAdmission(plan.limits, (execution, step) => this.#granted(execution, step));
    plan.deeds.forEach((deed, index) => this.#schedule(deed, index));
  }

  /** Runs until nothing is left, or until this time. */
  runUntil(endMs: number): void {
    for (;;) {
      const next = this.#next();
      const wakeAtMs = this.admission.wakeAtMs;
      if (wakeAtMs !== undefined && (next === undefined || wakeAtMs <= next.atMs) && wakeAtMs <= endMs) {
        if (next?.atMs === wakeAtMs) this.cannotTell("a quota is free when something else happens");
        this.#moveTo(wakeAtMs);
        this.admission.look();
      } else if (next === undefined || next.atMs > endMs) return;
      else this.#happen(next);
      while (this.#followUps.length > 0) this.#followUp();
    }
  }

  at(atMs: number, execution: ModelExecution | undefined, work: () => void): void {
    this.#occurrences.push({ atMs, execution, work });
  }

  later(execution: ModelExecution, work: () => void): void {
    this.#followUps.push({ atMs: this.nowMs, execution, work });
  }

  workflow(name: string): Definition {
    return this.#plan.workflows.find((workflow) => workflow.name === name)!;
  }

  act(execution: ModelExecution, step: ModelStep, attempt: number): Act {
    return toAct(this.#plan.seed, execution.id, step.name, attempt);
  }

  cannotTell(why: string): void {
    this.doubt ??= `${this.nowMs} ${why}`;
  }

  #schedule(deed: Deed, index: number): void {
    this.at(deed.atMs, undefined, () => {
      this.answers[index] = this.#do(deed);
    });
  }

  #moveTo(atMs: number): void {
    this.nowMs = atMs;
    this.admission.nowMs = atMs;
  }

  #next(): Occurrence | undefined {
    let next: Occurrence | undefined;
    for (const each of this.#occurrences) if (next === undefined || each.atMs < next.atMs) next = each;
    return next;
  }

  #happen(occurrence: Occurrence): void {
    this.#occurrences = this.#occurrences.filter((each) => each !== occurrence);
    if (this.#occurrences.some(({ atMs }) => atMs === occurrence.atMs))
      this.cannotTell("two things happen at the same time");
    this.#moveTo(occurrence.atMs);
    this.#turn(occurrence.execution, [occurrence]);
  }

  #followUp(): void {
    const { execution } = this.#followUps[0]!;
    const together = this.#followUps.filter((each) => each.execution === execution);
    this.#followUps = this.#followUps.filter((each) => each.execution !== execution);
    this.#turn(execution, together);
  }

  #turn(execution: ModelExecution | undefined, occurrences: readonly Occurrence[]): void {
    const isOver = execution?.hasEnded === true && execution.granted.length === 0;
    if (!isOver) this.#inTurn = execution;
    for (const { work } of occurrences) {
      work();
      if (!isOver) execution?.decide();
    }
    if (!isOver) execution?.follow();
    this.#inTurn = undefined;
    this.admission.look();
  }

  #granted(execution: ModelExecution, step: ModelStep): void {
    execution.granted.push(step);
    if (this.#inTurn !== execution) this.later(execution, () => undefined);
  }

  #do(deed: Deed): string {
    if (deed.kind === "start") return this.#start(deed);
    const execution = this.executions.get(deed.id);
    if (execution === undefined) return "refused EXECUTION_UNKNOWN";
    this.#inTurn = execution;
    const answer = this.#ask(execution, deed);
    execution.follow();
    this.#inTurn = undefined;
    const isRefused = deed.kind === "signal" && answer === "accepted" && execution.messages.isRefused(deed.signal);
    return isRefused ? "refused SIGNAL_INVALID" : answer;
  }

  #ask({ messages, stops }: ModelExecution, deed: Exclude<Deed, { kind: "start" }>): string {
    switch (deed.kind) {
      case "signal":
        return messages.signal(deed.signal, deed.name, deed.payload);
      case "vote":
        return messages.vote(deed.step, deed.vote, deed.by, deed.verdict);
      case "cancel":
        return stops.cancel(deed.mode, deed.compensate, deed.graceMs);
      case "pause":
        return stops.pause();
      case "resume":
        return stops.resume();
    }
  }

  #start(deed: Deed & { readonly kind: "start" }): string {
    const found = this.#keys.look(deed, this.nowMs);
    if (found !== undefined) return found;
    if (this.executions.has(deed.id)) return "refused EXECUTION_EXISTS";
    const execution = new ModelExecution(this, deed.id, this.workflow(deed.workflow), deed.input, deed.priority);
    this.executions.set(deed.id, execution);
    this.#keys.take(deed, execution);
    this.#inTurn = execution;
    execution.begin();
    this.#inTurn = undefined;
    return `started ${deed.id}`;
  }
}
