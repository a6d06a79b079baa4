// How far an execution is, folded from its events as they come in; what views draw.
//
// Not its job: deciding anything, or drawing.
//
//   P1. Events say where steps go; a report says which steps there are. Whoever feeds it asks for a report when it
//       `needsSnapshot`: at the start, when steps are added, and when a new round begins.
//   P2. What goes on is found without looking at what does not: 100,000 waiting steps cost nothing to draw.
//   P3. Events that were seen already change nothing, so following may begin anywhere and be repeated.

import type { ExecutionReport, WatchEvent } from "@segno/engine";
import type {
  EpochMs,
  Event,
  ExecutionStatus,
  Failure,
  NotUndoneStep,
  ParkCause,
  StepStatus,
  Vote,
} from "@segno/kernel";

import { Culprit } from "./culprit.ts";
import { dueTime, firstSight, identityIn, reportedStep } from "./reported-step.ts";
import {
  hasEnded,
  toIdentity,
  isActive,
  isSameIdentity,
  type StepIdentity,
  type StepProgress,
} from "./step-progress.ts";
import type { Titled } from "./step-title.ts";

type Change = Omit<StepProgress, keyof StepIdentity | "attempt"> & { readonly attempt?: number };

export class ExecutionProgress {
  readonly id: string;
  readonly #steps = new Map<number, StepProgress>();
  readonly #active = new Map<number, StepProgress>();
  readonly #labels = new Map<string, string>();
  /** Steps that others stand below. */
  readonly #scopes = new Set<number>();
  readonly #counts = new Map<StepStatus, number>();
  readonly #culprit = new Culprit();
  #base: ExecutionStatus | "none" = "none";
  #hold: "paused" | "parked" | undefined;
  #seq = 0;
  workflow = "";
  round = 1;
  needsSnapshot = true;
  createdAt: EpochMs | undefined;
  /** When this round began. */
  beganAt: EpochMs | undefined;
  endedAt: EpochMs | undefined;
  /** Why it is parked, or was cancelled. */
  reason: string | undefined;
  /** The cause of a parked execution, as a code. */
  parkCause: ParkCause | undefined;
  failure: Failure | undefined;
  /** What it ended without having undone, newest first (FAIL-8). */
  notUndone: readonly NotUndoneStep[] = [];
  /** How many steps were to be undone in this round, as far as that was seen. */
  undoCount: number | undefined;

  constructor(id: string) {
    this.id = id;
  }

  get status(): ExecutionStatus | "none" {
    return this.#hold ?? this.#base;
  }

  get isEnded(): boolean {
    return this.endedAt !== undefined;
  }

  /** Steps that it has so far. */
  get total(): number {
    return this.#steps.size;
  }

  get done(): number {
    return this.count("succeeded") + this.count("failed") + this.count("skipped") + this.count("cancelled");
  }

  count(status: StepStatus): number {
    return this.#counts.get(status) ?? 0;
  }

  /** In the order in which the definition has them; what was added later comes later. */
  get steps(): readonly StepProgress[] {
    return [...this.#steps.values()].toSorted((one, other) => one.index - other.index);
  }

  /** Those with which something goes on, in the order in which it began. */
  get active(): readonly StepProgress[] {
    return [...this.#active.values()];
  }

  step(index: number): StepProgress | undefined {
    return this.#steps.get(index);
  }

  /** The step that made it fail, where one did. */
  get culprit(): StepProgress | undefined {
    return this.#culprit.in(this.#steps);
  }

  /** By the name of a step: the label of the item that it stands in, if that has one. */
  label(step: string): string | undefined {
    return this.#labels.get(step);
  }

  /** Which steps there are; what the report leaves out is history. Where they are is for the events to say. */
  loadSteps({ steps, notUndone = [] }: ExecutionReport): void {
    this.needsSnapshot = false;
    this.notUndone = notUndone;
    for (const report of steps) this.#identify(identityIn(report), firstSight(report));
    if (this.#steps.size > steps.length) this.#forgetAllBut(new Set(steps.map(({ place }) => place)));
  }

  /** Everything as the report has it: where events were missed, or a round began that only the kernel can work out. */
  resetFrom(report: ExecutionReport): void {
    this.loadSteps(report);
    this.round = report.round;
    this.failure = report.failure;
    this.#culprit.failsExecution(report.steps.find(({ name }) => name === report.failedStep)?.place);
    const { status } = report;
    this.#hold = status === "paused" || status === "parked" ? status : undefined;
    if (this.#hold === undefined) this.#base = status;
    for (const each of report.steps) {
      if (this.#steps.get(each.place)!.status !== each.status) this.#put(reportedStep(each));
    }
  }

  /** Events up to here are known by a report; nobody is told of them any more. */
  seek(seq: number): void {
    this.#seq = Math.max(this.#seq, seq);
  }

  /** False when it was seen before. */
  apply(watched: WatchEvent): boolean {
    if (watched.seq <= this.#seq) return false;
    this.#seq = watched.seq;
    this.workflow = watched.workflow;
    const { event } = watched;
    const { step: name, label } = watched;
    if ("step" in event && event.step !== undefined && name !== undefined) this.#name(event.step, { name, label });
    this.#applyExecutionEvent(event);
    this.#applyStepEvent(event, watched.attempt);
    return true;
  }

  #applyExecutionEvent(event: Event): void {
    switch (event.kind) {
      case "execution.created":
        this.createdAt = event.at;
        this.beganAt = event.at;
        this.#base = "pending";
        return;
      case "execution.validating":
        this.#base = "validating";
        return;
      case "execution.started":
        this.#base = "running";
        return;
      case "execution.paused":
        this.#hold = "paused";
        return;
      case "execution.parked":
        this.#hold = "parked";
        this.parkCause = event.cause;
        this.reason = event.reason;
        return;
      case "execution.resumed":
        this.#hold = undefined;
        return;
      case "execution.failing":
        this.#base = "failing";
        this.failure = event.failure;
        this.#culprit.failsExecution(event.step);
        return;
      case "execution.cancelling":
        this.#base = "cancelling";
        this.reason = event.reason;
        return;
      case "execution.reopened":
        this.#reopen(event.round, event.at);
        return;
      case "execution.completed":
      case "execution.failed":
      case "execution.cancelled":
        this.#end(event);
        return;
      case "execution.compensating":
        this.#compensate(event);
        return;
      default:
    }
  }

  #reopen(round: number, at: EpochMs): void {
    this.#base = "running";
    this.beganAt = at;
    this.round = round;
    this.failure = undefined;
    this.#culprit.forget();
    this.reason = undefined;
    this.endedAt = undefined;
    this.notUndone = [];
    this.undoCount = undefined;
    this.needsSnapshot = true;
    // The report says which steps get another chance; those that do have no past.
    for (const step of this.#steps.values())
      if (step.status !== "succeeded" && step.skip?.kind !== "condition" && step.skip?.kind !== "disabled")
        this.#put({ ...toIdentity(step), status: "waiting", attempt: 0 });
  }

  /** After the end, what could not be undone is tried again; only that, so everything else is as it was. */
  #compensate({ steps, at }: Event & { kind: "execution.compensating" }): void {
    this.needsSnapshot = true;
    if (!this.isEnded) {
      this.undoCount = steps.length;
      return;
    }
    this.#base = this.#base === "cancelled" ? "cancelling" : "failing";
    this.beganAt = at;
    this.endedAt = undefined;
    this.notUndone = [];
  }

  #end(event: Event & { kind: "execution.completed" | "execution.failed" | "execution.cancelled" }): void {
    this.#hold = undefined;
    this.endedAt = event.at;
    // Only the kernel knows what was undone.
    if (this.undoCount !== undefined || "notUndone" in event) this.needsSnapshot = true;
    if (event.kind === "execution.completed") this.#base = "completed";
    else if (event.kind === "execution.cancelled") {
      this.#base = "cancelled";
      this.reason = event.reason;
    } else {
      this.#base = "failed";
      this.failure = event.failure;
      this.#culprit.failsExecution(event.step);
    }
  }

  #applyStepEvent(event: Event, attempt: number | undefined): void {
    const { at } = event;
    switch (event.kind) {
      case "step.started":
        return this.#move(event.step, { status: "running", attempt: event.attempt, sinceAt: at });
      case "step.completed":
        return this.#move(event.step, { status: "succeeded", endedAt: at });
      case "step.retried":
        return this.#move(event.step, { status: "retrying", sinceAt: at, failure: event.failure, dueAt: event.dueAt });
      case "step.failed":
        return this.#move(event.step, { status: "failed", endedAt: at, failure: event.failure });
      case "step.failing":
        return this.#culprit.failsScope(event.step, event.child);
      case "step.skipped":
        return this.#move(event.step, { status: "skipped", endedAt: at, skip: event.reason });
      case "step.suspended":
        return this.#move(event.step, { status: "suspended", sinceAt: at, wait: event.wait, ...dueTime(event.wait) });
      case "approval.voted":
        return this.#vote(event);
      case "step.expanded":
        this.needsSnapshot = true;
        return this.#move(event.step, { status: "open", sinceAt: at });
      case "step.overdue": {
        const { forceAt: dueAt, failure } = event;
        return this.#move(event.step, { status: "cancelling", sinceAt: at, dueAt, reason: failure.message });
      }
      case "step.lost":
        return this.#move(event.step, { status: "waiting", sinceAt: at, attempt: Math.max(0, (attempt ?? 1) - 1) });
      case "step.cancelled":
        return this.#move(event.step, toStopped(at, event.ended, event.reason));
      case "steps.skipped":
        return this.#moveAll(event.steps, { status: "skipped", endedAt: at, skip: event.reason });
      case "steps.cancelled":
        return this.#moveAll(event.steps, toStopped(at, "unbegun", event.reason));
      case "steps.cancelling": {
        const { forceAt: dueAt, reason } = event;
        return this.#moveAll(event.steps, { status: "cancelling", sinceAt: at, dueAt, reason });
      }
      default:
    }
  }

  /** The step stays as it is; only how far its approval is has changed. */
  #vote({ step, id, by, verdict, comment }: Event & { kind: "approval.voted" }): void {
    const before = this.#steps.get(step);
    if (before?.wait === undefined) return;
    const vote: Vote = { id, by, verdict, ...(comment === undefined ? {} : { comment }) };
    this.#put({ ...before, votes: [...(before.votes ?? []), vote] });
  }

  #moveAll(ranges: readonly (readonly [number, number])[], change: Change): void {
    for (const [first, last] of ranges) for (let step = first; step <= last; step++) this.#move(step, change);
  }

  #move(index: number, change: Change): void {
    const before = this.#steps.get(index) ?? unknownStep(index);
    const startedAt = this.#startTime(before, change);
    // What held for the status before is not carried over.
    this.#put({
      ...toIdentity(before),
      attempt: before.attempt,
      ...(startedAt === undefined ? {} : { startedAt }),
      ...change,
    });
  }

  /** What has ended and goes on begins anew: it is a new round. A scope does so without an event of its own. */
  #startTime(before: StepProgress, { status, sinceAt }: Change): EpochMs | undefined {
    if (before.startedAt !== undefined && !hasEnded(before)) return before.startedAt;
    return sinceAt ?? (this.#scopes.has(before.index) && status !== "skipped" ? this.beganAt : undefined);
  }

  /** A label that is known stays: an event has none where the items were not at hand. */
  #name(index: number, { name, label }: Titled): void {
    const before = this.#steps.get(index) ?? unknownStep(index);
    if (before.name !== name || (label !== undefined && before.label !== label))
      this.#put({ ...before, name, ...(label === undefined ? {} : { label }) });
  }

  #identify(identity: StepIdentity, first: StepProgress): void {
    const before = this.#steps.get(identity.index);
    if (before === undefined) return this.#put(first);
    const label = identity.label ?? before.label;
    const known = label === undefined ? identity : { ...identity, label };
    if (isSameIdentity(before, known)) return;
    const { parent: _parent, undoes: _undoes, workflow: _workflow, undone: _undone, ...rest } = before;
    this.#put({ ...rest, ...known });
  }

  #forgetAllBut(places: ReadonlySet<number>): void {
    for (const { index, status } of this.#steps.values()) {
      if (places.has(index)) continue;
      this.#counts.set(status, this.count(status) - 1);
      this.#steps.delete(index);
      this.#active.delete(index);
    }
  }

  #put(step: StepProgress): void {
    const before = this.#steps.get(step.index);
    if (before !== undefined) this.#counts.set(before.status, this.count(before.status) - 1);
    this.#counts.set(step.status, this.count(step.status) + 1);
    this.#steps.set(step.index, step);
    if (step.label !== undefined) this.#labels.set(step.name, step.label);
    if (step.parent !== undefined) this.#scopes.add(step.parent);
    if (isActive(step)) this.#active.set(step.index, step);
    else this.#active.delete(step.index);
  }
}

/** Of which nothing but its place is known. */
function toStopped(endedAt: EpochMs, how: NonNullable<StepProgress["stopped"]>, reason: string): Change {
  return { status: "cancelled", endedAt, stopped: how, reason };
}

function unknownStep(index: number): StepProgress {
  return { index, name: `#${index}`, status: "waiting", attempt: 0 };
}
