// Steps and frames of the reference model. A frame is a list of steps that end together: those of a workflow, a map, a
// sub-workflow, an expansion, or a compensation.

import type { Definition, Json, StepDefinition } from "@segno/kernel";

/** The output of scopes and approvals, which the model does not predict. */
export const UNKNOWN = undefined;

export type Phase =
  | "waiting"
  | "running"
  | "retrying"
  | "suspended"
  | "open"
  | "cancelling"
  | "succeeded"
  | "failed"
  | "skipped"
  | "cancelled";

const ENDED: ReadonlySet<Phase> = new Set<Phase>(["succeeded", "failed", "skipped", "cancelled"]);

export type FrameKind = "root" | "items" | "workflow" | "steps" | "undo";

/** An attempt, and whether its function still runs. */
export interface ModelRun {
  readonly startedAtMs: number;
  readonly deadlineMs: number | undefined;
  /** Its function was told to stop. */
  isAborted: boolean;
  /** Its function has returned or thrown. */
  isSettled: boolean;
}

interface Edge {
  readonly step: ModelStep;
  readonly on: "succeeded" | "settled";
}

export class ModelStep {
  readonly name: string;
  readonly definition: StepDefinition;
  readonly frame: Frame;
  readonly item: number;
  readonly dependants: Edge[] = [];
  primary: ModelStep | undefined;
  fallback: ModelStep | undefined;
  /** The step that it undoes. */
  undoes: ModelStep | undefined;
  phase: Phase = "waiting";
  isAsked = false;
  unmet = 0;
  attempts = 0;
  /** Whether dependants may run (STATE-5). */
  satisfies = false;
  output: Json | undefined = null;
  run: ModelRun | undefined;
  inner: Frame | undefined;
  dueAtMs: number | undefined;
  forceAtMs: number | undefined;
  /** Its attempt timed out and is stopping; after that it is retried, or the failure is final (FAIL-4). */
  overdue: "retriable" | "final" | undefined;
  votes: { readonly by: string; readonly verdict: string }[] = [];

  constructor(name: string, definition: StepDefinition, frame: Frame, item: number) {
    this.name = name;
    this.definition = definition;
    this.frame = frame;
    this.item = item;
  }

  get hasEnded(): boolean {
    return ENDED.has(this.phase);
  }

  /** STATE-6: it still runs while the execution fails. */
  get isCleanUp(): boolean {
    if (this.frame.kind === "undo") return true;
    const has = (this.definition.dependsOn ?? []).some(({ on }) => on === "settled");
    return has || this.primary?.isCleanUp === true;
  }

  /** The output that others read under its id (STATE-8). */
  get seen(): Json | undefined {
    if (this.phase === "failed" && this.fallback !== undefined) return this.fallback.seen;
    return this.phase === "succeeded" ? this.output : null;
  }
}

export class Frame {
  /** The order of a sequential workflow's steps, which begin one after the other. */
  line: readonly ModelStep[] | undefined;
  readonly kind: FrameKind;
  readonly workflow: Definition;
  readonly parent: ModelStep | undefined;
  readonly steps: ModelStep[] = [];
  /** The maximum number of concurrent items. */
  readonly limit: number;
  readonly items: number;
  begun = 0;
  isFailing = false;
  /** It fails because it timed out. */
  isTimeOver = false;
  readonly failedItems: Set<number> = new Set();
  /** Whether a failed item stops the others once the map fails. */
  isToStop = false;

  constructor(kind: FrameKind, workflow: Definition, parent: ModelStep | undefined, items = 1, limit = Infinity) {
    this.kind = kind;
    this.workflow = workflow;
    this.parent = parent;
    this.items = items;
    this.limit = limit;
    this.begun = Number.isFinite(limit) ? 0 : items;
  }

  get isSettled(): boolean {
    return this.steps.every(({ hasEnded }) => hasEnded);
  }

  /** Whether it is directly or indirectly inside a step. */
  isBelow(step: ModelStep): boolean {
    return this.parent !== undefined && (this.parent === step || this.parent.frame.isBelow(step));
  }

  /** Whether it is a compensation, or was made by one. */
  get isUndo(): boolean {
    return this.kind === "undo" || this.parent?.frame.isUndo === true;
  }

  /**
   * Whether the enclosing frame has reached the step: items of a map with a limit begin one after the other, and so do
   * steps that take turns.
   */
  hasBegun(step: ModelStep): boolean {
    if (step.item >= this.begun || this.#isBehind(step)) return false;
    return this.parent === undefined || this.parent.frame.hasBegun(this.parent);
  }

  #isBehind(step: ModelStep): boolean {
    return this.line?.slice(0, this.line.indexOf(step)).some(({ hasEnded }) => !hasEnded) === true;
  }

  get unendedItems(): number {
    return new Set(this.steps.filter(({ hasEnded, item }) => !hasEnded && item < this.begun).map(({ item }) => item))
      .size;
  }
}

/** Creates and links the steps of a frame. */
export function fillFrame(
  frame: Frame,
  definitions: readonly StepDefinition[],
  nameOf: (id: string, item: number) => string,
): void {
  for (let item = 0; item < frame.items; item++) {
    const made = definitions.map((definition) => new ModelStep(nameOf(definition.id, item), definition, frame, item));
    const byId = new Map(made.map((step) => [step.definition.id, step]));
    for (const step of made) tie(step, byId);
    frame.steps.push(...made);
  }
  if (frame.workflow.sequential === true && (frame.kind === "root" || frame.kind === "workflow"))
    frame.line = toLine(frame.steps);
}

/**
 * GRAPH-2: wave by wave, and within a wave in order of declaration; but fallbacks come directly after their primaries
 * (SCHED-5).
 */
function toLine(steps: readonly ModelStep[]): readonly ModelStep[] {
  const primaries = steps.filter(({ primary, definition }) => primary === undefined && definition.enabled !== false);
  const waveIndex = (step: ModelStep): number => {
    const before = primaries.filter(({ dependants }) => dependants.some((edge) => edge.step === step));
    return Math.max(0, ...before.map((dependency) => 1 + waveIndex(dependency)));
  };
  return primaries.toSorted((left, right) => waveIndex(left) - waveIndex(right)).flatMap(withFallbacks);
}

function withFallbacks(step: ModelStep): readonly ModelStep[] {
  return step.fallback === undefined ? [step] : [step, ...withFallbacks(step.fallback)];
}

function tie(step: ModelStep, byId: ReadonlyMap<string, ModelStep>): void {
  const { dependsOn = [], fallback, enabled } = step.definition;
  if (enabled === false) Object.assign(step, { phase: "skipped", satisfies: true });
  for (const { step: id, on } of dependsOn) {
    const dependency = byId.get(id)!;
    dependency.dependants.push({ step, on });
    if (dependency.definition.enabled !== false) step.unmet++;
  }
  if (fallback === undefined) return;
  step.fallback = byId.get(fallback)!;
  step.fallback.primary = step;
  step.fallback.unmet++;
}
