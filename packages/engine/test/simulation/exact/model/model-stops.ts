// How executions of the reference model stop and end: failure, cancellation, force, compensation (STATE-1, STATE-7,
// CANCEL-2 to CANCEL-7, FAIL-8).

import type { StepDefinition } from "@segno/kernel";
import type { Base, ModelExecution } from "./model-execution.ts";
import { fillFrame, Frame, type ModelStep } from "./model-step.ts";

const GRACE_MS = 5000;

export class ModelStops {
  readonly #execution: ModelExecution;

  constructor(execution: ModelExecution) {
    this.#execution = execution;
  }

  get graceMs(): number {
    return this.#execution.workflow.grace ?? GRACE_MS;
  }

  /** Stops all steps except clean-up and compensation, optionally only those below one step. */
  stopFailing(within: ModelStep | undefined): void {
    const steps = this.#stoppable(within).filter((step) => !step.isCleanUp && !this.#isInCleanUp(step.frame, within));
    this.#stop(steps, this.graceMs, (step) => this.#execution.skip(step, "failing", false));
  }

  #stoppable(within: ModelStep | undefined): readonly ModelStep[] {
    return this.#execution.frames
      .filter((frame) => (within === undefined ? !frame.isUndo : frame.isBelow(within)))
      .flatMap(({ steps }) => steps)
      .filter(({ hasEnded }) => !hasEnded);
  }

  #isInCleanUp(frame: Frame, within: ModelStep | undefined): boolean {
    for (let parent = frame.parent; parent !== undefined && parent !== within; parent = parent.frame.parent)
      if (parent.isCleanUp) return true;
    return false;
  }

  /** Steps that have not started end; running steps are told to stop. */
  #stop(steps: readonly ModelStep[], graceMs: number, end: (step: ModelStep) => void): void {
    const unstarted = steps.filter(({ phase }) => phase === "waiting" || phase === "retrying" || phase === "suspended");
    const going = steps.filter(
      ({ phase, overdue }) => phase === "running" || phase === "open" || overdue === "retriable",
    );
    this.#endAll(unstarted, end);
    const forceAtMs = this.#execution.world.nowMs + graceMs;
    for (const step of going) this.#tellToStop(step, forceAtMs);
  }

  #endAll(unstarted: readonly ModelStep[], end: (step: ModelStep) => void): void {
    for (const step of unstarted) end(step);
    for (const step of unstarted) this.#execution.messages.forget(step);
    this.#execution.world.admission.withdraw(({ step }) => unstarted.includes(step));
  }

  #tellToStop(step: ModelStep, forceAtMs: number): void {
    const execution = this.#execution;
    const { run } = step;
    const isAttempt = step.phase === "running";
    execution.fact(`stopping ${step.name} until ${forceAtMs}`);
    if (step.overdue !== undefined) return this.#stopForGood(step, forceAtMs);
    Object.assign(step, { phase: "cancelling", forceAtMs });
    if (!isAttempt) return;
    execution.world.later(execution, () => execution.attempts.abort(step, run!));
    execution.world.at(forceAtMs, execution, () => this.force(step, run));
  }

  /** The step was told to stop because it timed out: it keeps its grace if that is shorter, and is not retried. */
  #stopForGood(step: ModelStep, forceAtMs: number): void {
    const { run } = step;
    step.overdue = "final";
    if (forceAtMs >= step.forceAtMs!) return;
    step.forceAtMs = forceAtMs;
    this.#execution.world.at(forceAtMs, this.#execution, () => this.force(step, run));
  }

  force(step: ModelStep, run: ModelStep["run"]): void {
    const execution = this.#execution;
    if (step.phase !== "cancelling" || step.run !== run || run === undefined) return;
    if (execution.world.nowMs < step.forceAtMs!) return;
    step.run = undefined;
    if (step.overdue === undefined) this.cancelled(step, "by-force");
    else execution.attempts.endOverdue(step);
    execution.world.admission.release(execution, step, !run.isSettled);
    execution.world.later(execution, () => execution.attempts.abort(step, run));
  }

  cancelled(step: ModelStep, how: string): void {
    step.phase = "cancelled";
    step.isAsked = false;
    this.#execution.fact(`cancelled ${step.name} ${how}`);
    this.#execution.settle(step, false);
  }

  /** FAIL-4: the workflow itself timed out. */
  timeOver(): void {
    const execution = this.#execution;
    if (execution.base !== "running" && execution.base !== "failing") return;
    if (execution.base === "running") execution.fact("failing");
    execution.base = "failing";
    this.stopFailing(undefined);
  }

  scopeTimeOver(step: ModelStep, frame: Frame): void {
    if (step.phase !== "open" || step.inner !== frame) return;
    if (!frame.isFailing) {
      this.#execution.fact(`scope failing ${step.name}`);
      Object.assign(frame, { isFailing: true, isTimeOver: true });
    }
    this.stopFailing(step);
  }

  cancel(mode: "abort" | "drain", compensate: boolean, graceMs: number | undefined): string {
    const execution = this.#execution;
    if (execution.hasEnded) return "ignored ended";
    const before = execution.cancelling;
    const isHarder = before?.mode === "drain" && mode === "abort";
    if (before !== undefined && !isHarder)
      return graceMs === 0 ? this.#cutShort(before.mode) : "ignored already-cancelling";
    const grace = graceMs ?? this.graceMs;
    execution.base = "cancelling";
    execution.cancelling = { mode, compensate: compensate || before?.compensate === true };
    execution.fact(`cancelling ${mode} ${grace}`);
    this.#liftHold();
    const steps = this.#stoppable(undefined).filter(
      ({ phase }) => mode === "abort" || (phase !== "running" && phase !== "open" && phase !== "cancelling"),
    );
    this.#stop(steps, grace, (step) => this.#cancelUnstarted(step));
    if (execution.frames[0]!.isSettled) this.finish();
    return "accepted";
  }

  #cancelUnstarted(step: ModelStep): void {
    this.cancelled(step, "unstarted");
  }

  #liftHold(): void {
    const execution = this.#execution;
    if (!execution.isHeld) return;
    execution.isHeld = false;
    for (const { steps } of execution.frames) for (const step of steps) execution.readyIf(step);
    this.#wakeBackoffs();
  }

  /** CANCEL-6: a second cancellation without grace ends all clean-up by force, or else the compensation. */
  #cutShort(mode: string): string {
    const execution = this.#execution;
    const stopping = execution.frames.flatMap(({ steps }) =>
      steps.filter(({ phase, run }) => phase === "cancelling" && run !== undefined),
    );
    const undoing = execution.undo?.isSettled === false;
    if (stopping.length === 0 && !undoing) return "ignored already-cancelling";
    execution.fact(`cancelling ${mode} 0`);
    for (const step of stopping) {
      step.forceAtMs = execution.world.nowMs;
      this.force(step, step.run);
    }
    if (stopping.length === 0) this.#stop(this.#undoing(), 0, (step) => this.#cancelUnstarted(step));
    return "accepted";
  }

  #undoing(): readonly ModelStep[] {
    return this.#execution.frames
      .filter(({ isUndo }) => isUndo)
      .flatMap(({ steps }) => steps.filter(({ hasEnded }) => !hasEnded));
  }

  /** CANCEL-7. */
  pause(): string {
    const execution = this.#execution;
    if (execution.hasEnded) return "ignored ended";
    if (execution.base === "cancelling") return "ignored already-cancelling";
    if (execution.isHeld) return "ignored already-held";
    execution.isHeld = true;
    execution.fact("paused");
    execution.ready.length = 0;
    for (const { steps } of execution.frames) for (const step of steps) step.isAsked = false;
    execution.world.admission.withdraw((request) => request.execution === execution);
    return "accepted";
  }

  resume(): string {
    const execution = this.#execution;
    if (execution.hasEnded) return "ignored ended";
    if (!execution.isHeld) return "ignored not-held";
    execution.isHeld = false;
    execution.fact("resumed");
    for (const { steps } of execution.frames) for (const step of steps) execution.readyIf(step);
    this.#wakeBackoffs();
    return "accepted";
  }

  /** Resumes backoffs that ended while nothing could start. */
  #wakeBackoffs(): void {
    const execution = this.#execution;
    const over = execution.frames
      .flatMap(({ steps }) => steps)
      .filter(({ phase, dueAtMs }) => phase === "retrying" && dueAtMs! <= execution.world.nowMs);
    if (over.length > 1) execution.world.cannotTell("several backoffs are over at once");
    for (const step of over) execution.world.later(execution, () => execution.attempts.backoffOver(step));
  }

  /** All steps have ended: the execution ends, unless there is something to undo first. */
  finish(): void {
    const execution = this.#execution;
    if (execution.frames.some((frame) => frame.parent === undefined && !frame.isSettled)) return;
    if (execution.base === "running") return this.#end("completed");
    const isWanted =
      execution.base === "failing" ? execution.workflow.onFailure === "compensate" : execution.cancelling!.compensate;
    if (isWanted && execution.undo === undefined && this.#beginUndoing()) return;
    this.#end(execution.base === "failing" ? "failed" : "cancelled");
  }

  #end(base: Base): void {
    const execution = this.#execution;
    const left = (execution.undo?.steps ?? []).filter(({ phase }) => phase !== "succeeded" && phase !== "skipped");
    execution.base = base;
    execution.isHeld = false;
    execution.endedAtMs = execution.world.nowMs;
    execution.fact(`${base} ${left.map(({ undoes }) => undoes!.name).join(",")}`);
  }

  /** FAIL-8: newest first, each after the previous one. */
  #beginUndoing(): boolean {
    const execution = this.#execution;
    const steps = execution.undoable.filter(({ phase }) => phase === "succeeded").toReversed();
    if (steps.length === 0) return false;
    execution.fact(`undoing ${steps.map(({ name }) => name).join(",")}`);
    const frame = new Frame("undo", execution.workflow, undefined);
    fillFrame(frame, steps.map(findUndoing), (id) => `${steps[Number(id.slice(1))]!.name}/compensate`);
    frame.steps.forEach((step, index) => (step.undoes = steps[index]));
    execution.open(frame);
    return true;
  }
}

function findUndoing({ definition }: ModelStep, index: number): StepDefinition {
  const { action, retry, timeout } = definition.compensate!;
  return {
    id: `u${index}`,
    action,
    ...(retry === undefined ? {} : { retry }),
    ...(timeout === undefined ? {} : { timeout }),
    ...(index === 0 ? {} : { dependsOn: [{ step: `u${index - 1}`, on: "settled" }] }),
  } as unknown as StepDefinition;
}
