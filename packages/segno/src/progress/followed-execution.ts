// An execution that the command follows: the state that its journal folds to, as the views read it.
// Not its job: transitions. Every status, time and number is read from the kernel's state. Values for labels are kept beside
// the state, because the journal has only references to large values.
//   X1. Events are folded in order; an event that was folded before changes nothing.
//   X2. Active steps and numbers are read without reading the other steps: 100,000 waiting steps cost nothing to draw.

import { isCodeWorkflow } from "@segno/code/code-agents";
import type { StepProgress, WatchEvent } from "@segno/engine";
import {
  attemptsMax,
  enclosingInput,
  executionStatus,
  failedStep,
  FollowedState,
  isCountedStep,
  isInternalStep,
  isTerminalStatus,
  itemLabel,
  labelValues,
  notUndoneSteps,
  outputSource,
  statusReason,
  statusSince,
  stepName,
  stepNamed,
  stepSnapshot,
  stepStatus,
  toleratedFailureCount,
  undoCount,
  stepEpoch,
  type ContentHash,
  type EpochMs,
  type ExecutionStatus,
  type Failure,
  type Json,
  type NotUndoneStep,
  type ParkCause,
  type Progress,
  type State,
  type StepStatus,
  type StoredValues,
  type Value,
} from "@segno/kernel";

import { listSteps, type ShownStep } from "./shown-step.ts";

export class FollowedExecution {
  readonly id: string;
  readonly #followed: FollowedState;
  readonly #values = new Map<ContentHash, Json>();
  readonly #storedValues: StoredValues = { value: (hash) => this.#values.get(hash), checkSchema: () => [] };
  /** Labels by the name of a step, for lines of output, which have only the name. */
  readonly #labels = new Map<string, string | undefined>();
  /** The latest progress by the name of a step; it is not part of the journal. */
  readonly #progress = new Map<string, StepProgress>();
  #steps: readonly ShownStep[] | undefined;

  /** The state belongs to this object. */
  constructor(id: string, state: State) {
    this.id = id;
    this.#followed = new FollowedState(state);
  }

  /** Returns false if the event was folded before. */
  apply({ event }: WatchEvent): boolean {
    if (!this.#followed.apply(event)) return false;
    this.#steps = undefined;
    // In a new round, a name may belong to a step of a scope that opened again.
    if (event.kind === "execution.reopened") this.#labels.clear();
    return true;
  }

  /** The values that labels need and that are not loaded; `last`: only for the scope that opened last. */
  missingValues(scope: "all" | "last"): readonly ContentHash[] {
    return labelValues(this.#state, scope).filter((hash) => !this.#values.has(hash));
  }

  addValues(values: ReadonlyMap<ContentHash, Json>): void {
    for (const [hash, value] of values) this.#values.set(hash, value);
    this.#labels.clear();
  }

  get #state(): State {
    return this.#followed.state;
  }

  /** Whether it was started from a template of tasks for coding agents. */
  get isCodeWorkflow(): boolean {
    return isCodeWorkflow(this.#state.program.definition);
  }

  get workflow(): string {
    return this.#state.program.definition.name;
  }

  get status(): ExecutionStatus | "none" {
    return executionStatus(this.#state);
  }

  get isEnded(): boolean {
    return isTerminalStatus(this.status);
  }

  get round(): number {
    return this.#state.round;
  }

  get createdAt(): EpochMs | undefined {
    return this.#state.created?.at;
  }

  /** The labels of the start. */
  get labels(): Readonly<Record<string, string>> {
    return this.#state.created?.labels ?? {};
  }

  /** The number of items and steps that failed without failing the execution (STATE-7). */
  get toleratedFailures(): number {
    return toleratedFailureCount(this.#state);
  }

  /** The time at which this round began. */
  get beganAt(): EpochMs | undefined {
    return this.#state.beganAt;
  }

  get endedAt(): EpochMs | undefined {
    return this.#state.endedAt;
  }

  /** The reason why the execution is parked, is being cancelled or was cancelled. */
  get reason(): string | undefined {
    return statusReason(this.#state);
  }

  get parkCause(): ParkCause | undefined {
    const { hold } = this.#state;
    return hold?.kind === "parked" ? hold.cause : undefined;
  }

  get failure(): Failure | undefined {
    return this.#state.failure?.failure;
  }

  /** The name of the step that made the execution fail, if a step did. */
  get failedStep(): string | undefined {
    const step = failedStep(this.#state);
    return step === undefined ? undefined : this.nameOf(step);
  }

  /** Steps that were not undone when the execution ended, newest first (FAIL-8). */
  get notUndone(): readonly NotUndoneStep[] {
    return notUndoneSteps(this.#state);
  }

  /** The number of steps to undo in this round. */
  get undoCount(): number {
    return undoCount(this.#state);
  }

  /** The number of steps and of items so far, and of those that have ended. */
  get progress(): Progress {
    return this.#followed.progress;
  }

  /** Whether people count the step: not an internal one, an item of a map or a compensation. */
  isCounted(step: number): boolean {
    return isCountedStep(this.#state, step);
  }

  /** Whether Segno added the step to the workflow. */
  isInternal(step: number): boolean {
    return isInternalStep(this.#state, step);
  }

  count(status: StepStatus): number {
    return this.#followed.count(status);
  }

  /** The indexes of the active steps, in the order in which they became active. */
  get active(): ReadonlySet<number> {
    return this.#followed.active;
  }

  /** In the order of the definition; steps that were added later come later. */
  get steps(): readonly ShownStep[] {
    return (this.#steps ??= listSteps(this.#state));
  }

  /** One step, without its relations to other steps. */
  step(index: number): ShownStep {
    const max = attemptsMax(this.#state, index);
    return { ...stepSnapshot(this.#state, index), index, ...(max === undefined ? {} : { attemptsMax: max }) };
  }

  /** The input of the execution. */
  get input(): Value | undefined {
    return this.#state.created?.input;
  }

  /** The input of the workflow that the step belongs to: of the execution, or of a called workflow. */
  inputAround(step: number): Value | undefined {
    return enclosingInput(this.#state, step);
  }

  statusOf(step: number): StepStatus {
    return stepStatus(this.#state, step);
  }

  /** The name of the fallback that made the output of a failed step; undefined if none did. */
  fallbackOf(step: number): string | undefined {
    const source = outputSource(this.#state, step);
    return source === undefined || source === step ? undefined : this.nameOf(source);
  }

  nameOf(step: number): string {
    return stepName(this.#state, step);
  }

  /** The time since when a step has its status. */
  sinceOf(step: number): EpochMs | undefined {
    return statusSince(this.#state, step);
  }

  /** Returns false if the progress is known, or older than what is known. */
  addProgress(progress: StepProgress): boolean {
    const known = this.#progress.get(progress.step);
    if (known !== undefined && (known.epoch > progress.epoch || isSameProgress(known, progress))) return false;
    this.#progress.set(progress.step, progress);
    return true;
  }

  /** Whether the attempt that reported the progress runs. */
  isProgressShown({ step, epoch }: StepProgress): boolean {
    const index = stepNamed(this.#state, step);
    return index !== undefined && this.progressOf(index)?.epoch === epoch;
  }

  /** The latest progress of the attempt that runs. */
  progressOf(step: number): StepProgress | undefined {
    if (this.#progress.size === 0 || this.statusOf(step) !== "running") return undefined;
    const progress = this.#progress.get(this.nameOf(step));
    return progress?.epoch === stepEpoch(this.#state, step) ? progress : undefined;
  }

  /** The label of the map item that contains the step. */
  labelOf(step: number): string | undefined {
    return itemLabel(this.#state, step, this.#storedValues);
  }

  /** The label of the map item that contains the step with this name. */
  labelNamed(name: string): string | undefined {
    // Only steps inside others can have labels.
    if (!name.includes("/")) return undefined;
    const known = this.#labels.get(name);
    if (known !== undefined || this.#labels.has(name)) return known;
    const step = stepNamed(this.#state, name);
    if (step === undefined) return undefined;
    const label = this.labelOf(step);
    this.#labels.set(name, label);
    return label;
  }
}

function isSameProgress(left: StepProgress, right: StepProgress): boolean {
  return (
    left.at === right.at &&
    left.epoch === right.epoch &&
    left.fraction === right.fraction &&
    left.message === right.message
  );
}
