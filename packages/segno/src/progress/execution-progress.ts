// The progress of an execution, folded from its events. Views draw it.
// Not its job: decisions and drawing.
//   P1. Events change the statuses of steps; a report lists the steps. The caller reads a report when `needsSnapshot` is set:
//       at the start, when steps are added, and when a new round begins.
//   P2. Active steps are found without reading the others: 100,000 waiting steps cost nothing to draw.
//   P3. Events that were applied before change nothing, so following may begin at any event and be repeated.

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
  /** Steps that have steps below them. */
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
  /** The time at which this round began. */
  beganAt: EpochMs | undefined;
  endedAt: EpochMs | undefined;
  /** The reason why the execution is parked, or was cancelled. */
  reason: string | undefined;
  /** The cause of a parked execution, as a code. */
  parkCause: ParkCause | undefined;
  failure: Failure | undefined;
  /** Steps that were not undone when the execution ended, newest first (FAIL-8). */
  notUndone: readonly NotUndoneStep[] = [];
  /** The number of steps to undo in this round, if their event was seen. */
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

  /** The number of steps so far. */
  get total(): number {
    return this.#steps.size;
  }

  get done(): number {
    return this.count("succeeded") + this.count("failed") + this.count("skipped") + this.count("cancelled");
  }

  count(status: StepStatus): number {
    return this.#counts.get(status) ?? 0;
  }

  /** In the order of the definition; steps that were added later come later. */
  get steps(): readonly StepProgress[] {
    return [...this.#steps.values()].toSorted((one, other) => one.index - other.index);
  }

  /** Active steps, in the order in which they became active. */
  get active(): readonly StepProgress[] {
    return [...this.#active.values()];
  }

  step(index: number): StepProgress | undefined {
    return this.#steps.get(index);
  }

  /** The step that made the execution fail, if a step did. */
  get culprit(): StepProgress | undefined {
    return this.#culprit.in(this.#steps);
  }

  /** The label of the map item that contains the step, by the name of the step. */
  label(step: string): string | undefined {
    return this.#labels.get(step);
  }

  /** Takes the list of steps from a report. Their statuses come from events. Steps that the report omits are forgotten. */
  loadSteps({ steps, notUndone = [] }: ExecutionReport): void {
    this.needsSnapshot = false;
    this.notUndone = notUndone;
    for (const report of steps) this.#identify(identityIn(report), firstSight(report));
    if (this.#steps.size > steps.length) this.#forgetAllBut(new Set(steps.map(({ place }) => place)));
  }

  /** Takes the whole state from a report: after missed events, or when a round begins that only the kernel can derive. */
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

  /** Ignores events up to this sequence number, because a report includes them. */
  seek(seq: number): void {
    this.#seq = Math.max(this.#seq, seq);
  }

  /** Returns false if the event was applied before. */
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
    // The report tells which steps run again; such steps lose their history.
    for (const step of this.#steps.values())
      if (step.status !== "succeeded" && step.skip?.kind !== "condition" && step.skip?.kind !== "disabled")
        this.#put({ ...toIdentity(step), status: "waiting", attempt: 0 });
  }

  /** A retry of the undo after the end runs only steps that were not undone; all other steps keep their status. */
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
    // Only the kernel knows which steps were undone.
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

  /** The status of the step does not change, only the votes of its approval. */
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
    // Fields of the previous status are not carried over.
    this.#put({
      ...toIdentity(before),
      attempt: before.attempt,
      ...(startedAt === undefined ? {} : { startedAt }),
      ...change,
    });
  }

  /** A step that had ended starts again in a new round. A scope does so without an event of its own. */
  #startTime(before: StepProgress, { status, sinceAt }: Change): EpochMs | undefined {
    if (before.startedAt !== undefined && !hasEnded(before)) return before.startedAt;
    return sinceAt ?? (this.#scopes.has(before.index) && status !== "skipped" ? this.beganAt : undefined);
  }

  /** A known label is kept: an event has no label if the items were not in memory. */
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

/** A step of which only the index is known. */
function toStopped(endedAt: EpochMs, how: NonNullable<StepProgress["stopped"]>, reason: string): Change {
  return { status: "cancelled", endedAt, stopped: how, reason };
}

function unknownStep(index: number): StepProgress {
  return { index, name: `#${index}`, status: "waiting", attempt: 0 };
}
