// How far an execution is, folded from its events as they come in; what views draw.
//
// Not its job: deciding anything, or drawing.
//
//   P1. Events say where steps go; a report says which steps there are. Whoever feeds it asks for a report when it
//       `wantsReport`: at the start, when steps are added, and when a new round begins.
//   P2. What goes on is found without looking at what does not: 100,000 waiting steps cost nothing to draw.
//   P3. Events that were seen already change nothing, so following may begin anywhere and be repeated.

import type { ExecutionReport, WatchEvent } from "@segno/engine";
import type { EpochMs, Event, ExecutionStatus, Failure, StepSnapshot, StepStatus, Vote } from "@segno/kernel";

import { isActive, type StepProgress } from "./step-progress.ts";

type Change = Omit<StepProgress, "index" | "name" | "attempt"> & { readonly attempt?: number };

export class ExecutionProgress {
  readonly id: string;
  readonly #attemptsMax: (step: string) => number | undefined;
  readonly #steps = new Map<number, StepProgress>();
  readonly #active = new Map<number, StepProgress>();
  readonly #counts = new Map<StepStatus, number>();
  #base: ExecutionStatus | "none" = "none";
  #hold: "paused" | "parked" | undefined;
  #seq = 0;
  workflow = "";
  round = 1;
  wantsReport = true;
  createdAt: EpochMs | undefined;
  /** When this round began. */
  beganAt: EpochMs | undefined;
  endedAt: EpochMs | undefined;
  /** Why it is parked, or was cancelled. */
  reason: string | undefined;
  failure: Failure | undefined;

  constructor(id: string, attemptsMax: (step: string) => number | undefined = () => undefined) {
    this.id = id;
    this.#attemptsMax = attemptsMax;
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

  attemptsMax(step: string): number | undefined {
    return this.#attemptsMax(step);
  }

  /** Steps that were not known yet. Where they are is for the events to say. */
  know({ steps }: ExecutionReport): void {
    this.wantsReport = false;
    steps.forEach((snapshot, index) => {
      if (!this.#steps.has(index)) this.#put(firstSight(index, snapshot));
    });
  }

  /** Everything as the report has it: where events were missed, or a round began that only the kernel can work out. */
  rebase(report: ExecutionReport): void {
    this.know(report);
    this.round = report.round;
    this.failure = report.failure;
    const { status } = report;
    this.#hold = status === "paused" || status === "parked" ? status : undefined;
    if (this.#hold === undefined) this.#base = status;
    report.steps.forEach((snapshot, index) => {
      const before = this.#steps.get(index)!;
      const startedAt = snapshot.status === "waiting" ? undefined : before.startedAt;
      if (before.status !== snapshot.status)
        this.#put({ ...bySnapshot(index, snapshot), ...(startedAt === undefined ? {} : { startedAt }) });
    });
  }

  /** Events up to here are known by a report; nobody is told of them any more. */
  skipTo(seq: number): void {
    this.#seq = Math.max(this.#seq, seq);
  }

  /** False when it was seen before. */
  take(watched: WatchEvent): boolean {
    if (watched.seq <= this.#seq) return false;
    this.#seq = watched.seq;
    this.workflow = watched.workflow;
    const { event } = watched;
    if ("step" in event && event.step !== undefined && watched.step !== undefined) this.#name(event.step, watched.step);
    this.#takeOfExecution(event);
    this.#takeOfStep(event, watched.attempt);
    return true;
  }

  #takeOfExecution(event: Event): void {
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
        this.reason = event.reason;
        return;
      case "execution.resumed":
        this.#hold = undefined;
        return;
      case "execution.failing":
        this.#base = "failing";
        this.failure = event.failure;
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
        this.wantsReport = true;
        return;
      default:
    }
  }

  #reopen(round: number, at: EpochMs): void {
    this.#base = "running";
    this.beganAt = at;
    this.round = round;
    this.failure = undefined;
    this.reason = undefined;
    this.endedAt = undefined;
    this.wantsReport = true;
    // The report says which steps get another chance; those that do have no past.
    for (const { index, name, status, skip } of this.#steps.values())
      if (status !== "succeeded" && skip?.kind !== "condition" && skip?.kind !== "disabled")
        this.#put({ index, name, status: "waiting", attempt: 0 });
  }

  #end(event: Event & { kind: "execution.completed" | "execution.failed" | "execution.cancelled" }): void {
    this.#hold = undefined;
    this.endedAt = event.at;
    if (event.kind === "execution.completed") this.#base = "completed";
    else if (event.kind === "execution.cancelled") {
      this.#base = "cancelled";
      this.reason = event.reason;
    } else {
      this.#base = "failed";
      this.failure = event.failure;
    }
  }

  #takeOfStep(event: Event, attempt: number | undefined): void {
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
      case "step.skipped":
        return this.#move(event.step, { status: "skipped", endedAt: at, skip: event.reason });
      case "step.suspended":
        return this.#move(event.step, { status: "suspended", sinceAt: at, wait: event.wait, ...due(event.wait) });
      case "approval.voted":
        return this.#vote(event);
      case "step.expanded":
        this.wantsReport = true;
        return this.#move(event.step, { status: "open", sinceAt: at });
      case "step.lost":
        return this.#move(event.step, { status: "waiting", sinceAt: at, attempt: Math.max(0, (attempt ?? 1) - 1) });
      case "step.cancelled":
        return this.#move(event.step, { status: "cancelled", endedAt: at, stopped: event.ended });
      case "steps.skipped":
        return this.#moveAll(event.steps, { status: "skipped", endedAt: at, skip: event.reason });
      case "steps.cancelled":
        return this.#moveAll(event.steps, { status: "cancelled", endedAt: at });
      case "steps.cancelling":
        return this.#moveAll(event.steps, { status: "cancelling", sinceAt: at, dueAt: event.forceAt });
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
    const before = this.#steps.get(index) ?? firstSight(index, undefined);
    const startedAt = before.startedAt ?? change.sinceAt;
    const { name, attempt } = before;
    // What held for the status before is not carried over.
    this.#put({ index, name, attempt, ...(startedAt === undefined ? {} : { startedAt }), ...change });
  }

  #name(index: number, name: string): void {
    const before = this.#steps.get(index);
    if (before?.name !== name) this.#put({ ...(before ?? firstSight(index, undefined)), name });
  }

  #put(step: StepProgress): void {
    const before = this.#steps.get(step.index);
    if (before !== undefined) this.#counts.set(before.status, this.count(before.status) - 1);
    this.#counts.set(step.status, this.count(step.status) + 1);
    this.#steps.set(step.index, step);
    if (isActive(step)) this.#active.set(step.index, step);
    else this.#active.delete(step.index);
  }
}

/** A step that no event has spoken of waits, unless it is disabled: then the kernel never speaks of it. */
function firstSight(index: number, snapshot: StepSnapshot | undefined): StepProgress {
  const isDisabled = snapshot?.status === "skipped" && snapshot.detail.kind === "none";
  const base = { index, name: snapshot?.name ?? `#${index}`, attempt: 0 };
  return isDisabled ? { ...base, status: "skipped", skip: { kind: "disabled" } } : { ...base, status: "waiting" };
}

function bySnapshot(index: number, { name, status, attempts, detail }: StepSnapshot): StepProgress {
  const base = { index, name, status, attempt: attempts };
  switch (detail.kind) {
    case "failure":
      return {
        ...base,
        failure: detail.failure,
        ...(detail.dueAt === undefined ? {} : { dueAt: detail.dueAt }),
      };
    case "skip":
      return { ...base, skip: detail.reason };
    case "wait":
      return {
        ...base,
        wait: detail.wait,
        ...(detail.votes === undefined ? {} : { votes: detail.votes }),
        ...due(detail.wait),
      };
    case "stopped":
      return { ...base, stopped: detail.ended };
    case "stopping":
      return { ...base, ...(detail.forceAt === undefined ? {} : { dueAt: detail.forceAt }) };
    case "none":
    case "output":
      return base;
  }
}

function due(wait: NonNullable<StepProgress["wait"]>): Pick<StepProgress, "dueAt"> {
  const dueAt = wait.kind === "timer" ? wait.dueAt : wait.expiresAt;
  return dueAt === undefined ? {} : { dueAt };
}
