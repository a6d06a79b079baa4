// One execution of the reference model: its steps and their consequences (STATE-1 to STATE-9), written from
// docs/semantics.md without the kernel. It is slow and simple: it scans all steps where the kernel keeps counts.
//
//   F1. Ends of steps come before starts; within both, first come, first served.
//   F2. Every occurrence is a fact: a line with its time. The facts of the engine must be equal.

import type { Definition } from "@segno/kernel";
import { ModelAttempts } from "./model-attempts.ts";
import { fillFrame, Frame, UNKNOWN, type ModelStep } from "./model-step.ts";
import { ModelMessages } from "./model-messages.ts";
import { ModelStops } from "./model-stops.ts";
import type { ModelWorld } from "./model-world.ts";

export type Base = "running" | "failing" | "cancelling" | "completed" | "failed" | "cancelled";

export class ModelExecution {
  readonly id: string;
  readonly workflow: Definition;
  readonly priority: number;
  readonly input: string;
  readonly world: ModelWorld;
  readonly facts: string[] = [];
  readonly frames: Frame[] = [];
  readonly attempts: ModelAttempts;
  readonly stops: ModelStops;
  readonly messages: ModelMessages;
  base: Base = "running";
  endedAtMs = 0;
  isHeld = false;
  cancelling: { readonly mode: "abort" | "drain"; readonly compensate: boolean } | undefined;
  /** Steps that succeeded and can be undone, in that order (FAIL-8). */
  readonly undoable: ModelStep[] = [];
  readonly ready: ModelStep[] = [];
  readonly granted: ModelStep[] = [];
  readonly #failed: ModelStep[] = [];
  #broken: { readonly step: ModelStep; readonly blame: ModelStep }[] = [];
  readonly #unused: ModelStep[] = [];
  readonly #settled: Frame[] = [];

  constructor(world: ModelWorld, id: string, workflow: Definition, input: string, priority: number) {
    this.world = world;
    this.id = id;
    this.workflow = workflow;
    this.input = input;
    this.priority = priority;
    this.attempts = new ModelAttempts(this);
    this.stops = new ModelStops(this);
    this.messages = new ModelMessages(this);
  }

  get hasEnded(): boolean {
    return this.base === "completed" || this.base === "failed" || this.base === "cancelled";
  }

  get undo(): Frame | undefined {
    return this.frames.find(({ kind }) => kind === "undo");
  }

  fact(text: string): void {
    this.facts.push(`${this.world.nowMs} ${text}`);
  }

  begin(): void {
    this.fact("started");
    const root = new Frame("root", this.workflow, undefined);
    fillFrame(root, this.workflow.steps, (id) => id);
    this.open(root);
    const { timeout } = this.workflow;
    if (timeout !== undefined) this.world.at(this.world.nowMs + timeout, this, () => this.stops.timeOver());
    this.follow();
  }

  open(frame: Frame): void {
    this.frames.push(frame);
    if (Number.isFinite(frame.limit)) this.#beginItems(frame);
    else for (const step of frame.steps) this.readyIf(step);
    if (frame.isSettled) this.#settled.push(frame);
  }

  readyIf(step: ModelStep): void {
    if (step.phase === "waiting" && step.unmet === 0 && step.frame.hasBegun(step)) this.ready.push(step);
  }

  /** Whether the step may run or be retried at all. */
  mayRun(step: ModelStep): boolean {
    return this.base === "running" || this.base === "failing" || (this.base === "cancelling" && step.frame.isUndo);
  }

  mayStart(step: ModelStep): boolean {
    return !this.isHeld && this.mayRun(step);
  }

  /** Ends a step other than by failure. */
  settle(step: ModelStep, satisfies: boolean): void {
    step.satisfies = satisfies;
    this.#countDown(step);
    this.#propagate(step, satisfies);
    if (step.fallback !== undefined) this.#unused.push(step.fallback);
    if (step.primary !== undefined) this.#settlePrimary(step.primary, satisfies);
  }

  /** Fails a step permanently, unless its fallback runs (STATE-8). */
  settleFailure(step: ModelStep): void {
    this.#countDown(step);
    const { fallback, primary } = step;
    if (fallback?.phase === "waiting") return this.#meet(fallback);
    this.#propagate(step, false);
    if (primary === undefined) this.#noteFailure(step);
    else this.#settlePrimary(primary, false);
  }

  #settlePrimary(primary: ModelStep, satisfies: boolean): void {
    if (primary.phase !== "failed") return;
    this.#propagate(primary, satisfies);
    if (!satisfies) this.#noteFailure(primary);
  }

  #noteFailure(step: ModelStep): void {
    if (step.frame.kind === "items" && step.definition.onError !== "continue") {
      step.frame.failedItems.add(step.item);
      step.frame.isToStop ||= stopsOthers(step);
    }
    this.#failed.push(step);
  }

  #countDown(step: ModelStep): void {
    const { frame } = step;
    if (frame.isSettled) this.#settled.push(frame);
    if (Number.isFinite(frame.limit)) this.#beginItems(frame);
    const next = frame.line?.find(({ hasEnded }) => !hasEnded);
    if (next !== undefined) this.readyIf(next);
  }

  #beginItems(frame: Frame): void {
    while (frame.unendedItems < frame.limit && frame.begun < frame.items) {
      const item = frame.begun++;
      for (const step of frame.steps) if (step.item === item) this.readyIf(step);
    }
  }

  #propagate(step: ModelStep, satisfies: boolean): void {
    for (const { step: dependant, on } of step.dependants)
      if (satisfies || on === "settled") this.#meet(dependant);
      else if (dependant.phase === "waiting") this.#broken.push({ step: dependant, blame: step });
  }

  #meet(step: ModelStep): void {
    if (--step.unmet === 0) this.readyIf(step);
  }

  /** Applies all consequences until there are none, and then starts granted steps. */
  follow(): void {
    do this.decide();
    while (this.attempts.startGranted());
  }

  /** Applies all consequences until there are none. */
  decide(): void {
    while (!this.hasEnded && this.#proceed());
  }

  #proceed(): boolean {
    if (this.#broken.length > 0) this.#decideBroken();
    else if (this.#unused.length > 0) this.#decideUnused(this.#unused.shift()!);
    else if (this.#failed.length > 0) this.#decideFailed(this.#failed.shift()!);
    else if (this.messages.match()) return true;
    else if (this.ready.length > 0) this.attempts.begin(this.ready.shift()!);
    else if (this.#settled.length > 0) this.#decideSettled(this.#settled.shift()!);
    else return false;
    return true;
  }

  #decideFailed(step: ModelStep): void {
    if (step.phase !== "failed" || step.definition.onError === "continue") return;
    const { frame } = step;
    if (frame.kind === "root") this.#failExecution(step);
    else if (frame.kind !== "undo") this.#failScope(step);
  }

  #failExecution(step: ModelStep): void {
    if (this.base !== "running" && this.base !== "failing") return;
    if (this.base === "running") this.fact("failing");
    this.base = "failing";
    if (stopsOthers(step)) this.stops.stopFailing(undefined);
  }

  #failScope(step: ModelStep): void {
    const { frame } = step;
    const parent = frame.parent!;
    if (parent.phase !== "open") return;
    if (frame.kind === "items" && frame.failedItems.size <= toleratedItems(frame)) return;
    if (!frame.isFailing) this.fact(`scope failing ${parent.name}`);
    frame.isFailing = true;
    if (stopsOthers(step) || frame.isToStop) this.stops.stopFailing(parent);
  }

  /** STATE-5: a step that requires a success that cannot come is skipped, with its dependants. */
  #decideBroken(): void {
    const { blame } = this.#broken[0]!;
    const end = this.#broken.findIndex((each) => each.blame !== blame);
    const roots = this.#broken.splice(0, end < 0 ? this.#broken.length : end).map(({ step }) => step);
    const found = new Set(roots.filter(({ phase }) => phase === "waiting"));
    for (const step of found)
      for (const { step: dependant, on } of step.dependants)
        if (on === "succeeded" && dependant.phase === "waiting") found.add(dependant);
    const { steps } = blame.frame;
    for (const step of [...found].toSorted((left, right) => steps.indexOf(left) - steps.indexOf(right)))
      this.skip(step, "dependency-failed", false);
  }

  #decideUnused(fallback: ModelStep): void {
    if (fallback.phase === "waiting") this.skip(fallback, "fallback-unused", false);
  }

  skip(step: ModelStep, reason: string, satisfies: boolean): void {
    step.phase = "skipped";
    step.isAsked = false;
    this.fact(`skipped ${step.name} ${reason}`);
    this.settle(step, satisfies);
  }

  complete(step: ModelStep, more = ""): void {
    step.phase = "succeeded";
    this.fact(`completed ${step.name}${more}`);
    if (step.definition.compensate !== undefined && !step.frame.isUndo) this.undoable.push(step);
    this.settle(step, true);
  }

  fail(step: ModelStep, kind: string): void {
    step.phase = "failed";
    this.fact(`failed ${step.name} ${kind}`);
    this.settleFailure(step);
  }

  #decideSettled(frame: Frame): void {
    if (!frame.isSettled) return;
    const { parent } = frame;
    if (parent === undefined) return this.stops.finish();
    const wasCancelled = this.base === "cancelling" && frame.steps.some(({ phase }) => phase === "cancelled");
    if (parent.phase === "open" && frame.isFailing) this.fail(parent, frame.isTimeOver ? "timeout" : "permanent");
    else if (parent.phase === "cancelling" || (parent.phase === "open" && wasCancelled))
      this.stops.cancelled(parent, "itself");
    else if (parent.phase === "open") {
      parent.output = UNKNOWN;
      this.complete(parent);
    }
  }
}

/**
 * STATE-7: a step with `finish` fails its execution without stopping others; a step that stops the others does so
 * later, too.
 */
function stopsOthers({ definition, frame }: ModelStep): boolean {
  return definition.onError !== "finish" && workflowAround(frame).onFailure !== "finish";
}

/** The workflow that contains a frame. */
function workflowAround(frame: Frame): Definition {
  for (let each = frame; ;) {
    if (each.kind === "root" || each.kind === "workflow") return each.workflow;
    const place = each.kind === "undo" ? each.steps[0]!.undoes! : each.parent!;
    each = place.frame;
  }
}

function toleratedItems(frame: Frame): number {
  const { action } = frame.parent!.definition;
  const tolerance = action.kind === "map" ? (action.tolerance ?? 0) : 0;
  if (typeof tolerance === "number") return tolerance;
  return Math.floor((Number.parseFloat(tolerance) / 100) * frame.items);
}
