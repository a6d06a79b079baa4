// The state of one execution
//
// Job: holds everything that the journal records, in columns of a few dozen bytes a step, so that 100,000 steps fit in memory.
// Not its job: deciding. Only `fold` changes the durable part; `fold` and `advance` change the derived part.
//
//   S1. Columns are indexed by step index. The arrays are replaced when they grow, so no caller keeps one.
//   S2. `phaseEvents` has the event that brought each step to its phase: outputs, failures, waits and reasons are read from it.
//   S3. `agenda`, `columns.queued`, `queuedCount` and `preparedCalls` are derived. The rest is the fold of the journal (JOURNAL-2).

import { LazyMap, LazySet } from "./lazy-map.ts";
import type {
  Event,
  ExecutionCancelling,
  ExecutionCreated,
  ParkCause,
  StepRecorded,
  StepStarted,
  Vote,
} from "../journal/event.ts";
import type { Failure } from "../model/failure.ts";
import type { ContentHash, EpochMs, StepIndex } from "../model/units.ts";
import type { SecretPath } from "../model/secret-path.ts";
import type { Value } from "../model/value.ts";
import type { Program } from "../program/program.ts";
import { createAgenda, type Agenda } from "./agenda.ts";
import { isTerminalStatus, PHASE_COUNT, SKIPPED, WAITING, type ExecutionStatus } from "./phase.ts";
import { newSequentialPlan, newWindow, type Region } from "./region.ts";

/** Programs of sub-workflows by the hash of their definition; the engine adds them before it folds. */
export type Library = ReadonlyMap<ContentHash, Program>;

/** The rendered input of a step; it is the same for all attempts of a round. */
export interface ResolvedCall {
  readonly value: Value | undefined;
  readonly secrets: readonly SecretPath[];
}

/** The state of an execution. `fold` alone changes it; programs read it by `toSnapshot` and other functions. */
export interface State {
  readonly program: Program;
  readonly library: Library;
  /** Whether the steps run one after the other even if the definition does not ask for it (`sequential-plan.ts`). */
  readonly isSequential: boolean;
  seq: number;
  at: EpochMs;
  created: ExecutionCreated | undefined;
  startedAt: EpochMs | undefined;
  /** The time at which this round began: the execution was created, retried, or went on to undo steps after its end. */
  beganAt: EpochMs | undefined;
  /** The time of the end; undefined while the execution has not ended, and again in a new round. */
  endedAt: EpochMs | undefined;
  deadline: EpochMs | undefined;
  /** The status that the execution has when it is not on hold. */
  baseStatus: ExecutionStatus | "none";
  /** Set while the execution is on hold: a user paused it, or the engine parked it. No step starts then. */
  hold: Hold | undefined;
  round: number;
  /** The worker that started the last attempt. */
  worker: string | undefined;
  failure: { readonly failure: Failure; readonly step: StepIndex | undefined } | undefined;
  cancelling: ExecutionCancelling | undefined;
  result: Value | undefined;
  readonly regions: Region[];
  readonly columns: Columns;
  /** By step index: the event that brought the step to its phase. */
  readonly phaseEvents: (Event | undefined)[];
  readonly calls: LazyMap<number, ResolvedCall>;
  /** By step index and key or name: the calls whose values the step gets back if it runs again (STATE-14). */
  readonly recordedCalls: LazyMap<number, Map<string, StepRecorded>>;
  readonly losses: LazyMap<number, number>;
  /** The start times in earlier rounds of steps that run again, oldest first (`step-times.ts`). */
  readonly pastStarts: LazyMap<number, PastStart[]>;
  /** Attempts that timed out and are within their grace period (FAIL-4). */
  readonly overdue: LazyMap<number, StepOverdue>;
  /** Succeeded steps that can be undone, oldest first. */
  readonly compensable: number[];
  /** The compensations of the current round: the index of the compensating step, and the step that it undoes. */
  readonly undoes: LazyMap<number, number>;
  readonly signals: Signals;
  readonly votes: LazyMap<number, readonly Vote[]>;
  /** Votes that have counted or were refused, in any round, as keys of step and vote id. */
  readonly seenVotes: LazySet<string>;
  /** The number of steps in each phase. */
  readonly counts: Int32Array;
  readonly agenda: Agenda;
  /** The number of queued steps: admission, or the definition of a called workflow, was requested for them. */
  queuedCount: number;
  /** The calls of queued steps, rendered when the steps became ready. */
  readonly preparedCalls: LazyMap<number, ResolvedCall>;
  /** The number of regions that are maps with a limit or sequential workflows: in those, a ready step may have to wait. */
  windows: number;
  /** Maps in which an item failed for good; some of them may be history (`tolerated.ts`). */
  readonly failedMaps: LazySet<Region>;
  /** Steps with `onError: continue` that failed for good; some of them may be history. */
  readonly continuedFailures: LazySet<number>;
  /** Scopes that continue in a new round when the item around them begins, by the step that opened them. */
  readonly heldScopes: LazyMap<number, Region>;
}

/** A start time that is valid for events before `seq`, the first event of the next round. */
export interface PastStart {
  readonly seq: number;
  readonly at: EpochMs;
}

export type StepOverdue = Extract<Event, { readonly kind: "step.overdue" }>;

export type Hold =
  | { readonly kind: "paused" }
  | {
      readonly kind: "parked";
      readonly cause: ParkCause;
      readonly reason: string;
      readonly step: StepIndex | undefined;
    };

export interface Signals {
  readonly seen: LazySet<string>;
  /** Received and not yet consumed, oldest first. */
  readonly pending: LazyMap<string, { readonly name: string; readonly payload: Value }>;
  /** Waiting steps by signal, in the order in which they began to wait. */
  readonly waiting: LazyMap<string, Set<number>>;
  /** Signals that a waiting step refused; they are not offered to that step again. */
  readonly refused: LazySet<string>;
}

export interface Columns {
  phase: Uint8Array;
  unmet: Int32Array;
  attempts: Uint16Array;
  epoch: Int32Array;
  /** The time of the first attempt, the wait or the expansion in this round. NaN if the step has not begun. */
  startedAt: Float64Array;
  /** 1 if admission was requested. Derived: the journal does not record it. */
  queued: Uint8Array;
}

/** The state before the first event. `isSequential` runs the steps one after the other whatever the definition says. */
export function createState(program: Program, library: Library = new Map(), isSequential = false): State {
  const state: State = {
    program,
    library,
    isSequential,
    seq: 0,
    at: 0 as EpochMs,
    created: undefined,
    startedAt: undefined,
    beganAt: undefined,
    endedAt: undefined,
    deadline: undefined,
    baseStatus: "none",
    hold: undefined,
    round: 1,
    worker: undefined,
    failure: undefined,
    cancelling: undefined,
    result: undefined,
    regions: [],
    columns: newColumns(program.graph.size),
    phaseEvents: [],
    calls: new LazyMap(),
    recordedCalls: new LazyMap(),
    losses: new LazyMap(),
    pastStarts: new LazyMap(),
    overdue: new LazyMap(),
    compensable: [],
    undoes: new LazyMap(),
    signals: { seen: new LazySet(), pending: new LazyMap(), waiting: new LazyMap(), refused: new LazySet() },
    votes: new LazyMap(),
    seenVotes: new LazySet(),
    counts: new Int32Array(PHASE_COUNT),
    agenda: createAgenda(),
    queuedCount: 0,
    preparedCalls: new LazyMap(),
    windows: 0,
    failedMaps: new LazySet(),
    continuedFailures: new LazySet(),
    heldScopes: new LazyMap(),
  };
  addRegion(state, { kind: "root", program, instances: 1, parent: -1, depth: 0, value: undefined, result: -1 });
  return state;
}

export type NewRegion = Pick<Region, "kind" | "program" | "parent" | "depth" | "value" | "result"> & {
  readonly instances: number;
  /** Items at once; all of them if undefined. */
  readonly limit?: number | undefined;
  readonly iteration?: number;
  readonly iterationsLeft?: number;
  readonly undoes?: readonly number[];
};

/** Adds the steps of a region. Each waits for its dependencies, or is skipped if it is disabled. */
export function addRegion(state: State, added: NewRegion): Region {
  const { kind, program, parent, depth, value, result, instances, limit, undoes = [] } = added;
  const { iteration = -1, iterationsLeft = 0 } = added;
  const stride = program.graph.size;
  const base = stepCount(state);
  const size = stride * instances;
  const disabledEach = countDisabled(program);
  const disabled = disabledEach * instances;
  const region: Region = {
    kind,
    program,
    base,
    size,
    stride,
    parent,
    epoch: parent < 0 ? 0 : state.columns.epoch[parent]!,
    depth,
    iteration,
    iterationsLeft,
    value,
    result,
    undoes,
    window: limit === undefined ? undefined : newWindow(limit, instances, stride - disabledEach),
    plan: isRunSequentially(state, kind, program) ? newSequentialPlan(program) : undefined,
    isHistory: false,
    unsettled: size - disabled,
    failedInstances: new LazySet(),
    stoppingStep: -1,
    failure: undefined,
  };
  state.regions.push(region);
  if (region.window !== undefined || region.plan !== undefined) state.windows++;
  growColumns(state, base + size);
  for (let instance = 0; instance < instances; instance++) fillInstance(state, program, base + instance * stride);
  state.counts[WAITING]! += size - disabled;
  state.counts[SKIPPED]! += disabled;
  return region;
}

/** Only the workflow itself and called workflows have a plan order; the other regions are branches without one. */
function isRunSequentially({ isSequential }: State, kind: Region["kind"], { definition }: Program): boolean {
  return (isSequential || definition.sequential === true) && (kind === "root" || kind === "workflow");
}

function fillInstance(state: State, program: Program, base: number): void {
  state.columns.unmet.set(program.unmet, base);
  for (let local = 0; local < program.graph.size; local++) {
    state.columns.phase[base + local] = program.graph.disabled[local] === 1 ? SKIPPED : WAITING;
  }
}

function countDisabled(program: Program): number {
  return program.graph.disabled.reduce((sum, flag) => sum + flag, 0);
}

function growColumns(state: State, size: number): void {
  const { columns, phaseEvents } = state;
  phaseEvents.length = size;
  if (columns.phase.length >= size) return;
  const larger = newColumns(Math.max(size, columns.phase.length * 2));
  columns.phase = growColumn(columns.phase, larger.phase);
  columns.unmet = growColumn(columns.unmet, larger.unmet);
  columns.attempts = growColumn(columns.attempts, larger.attempts);
  columns.epoch = growColumn(columns.epoch, larger.epoch);
  columns.startedAt = growColumn(columns.startedAt, larger.startedAt);
  columns.queued = growColumn(columns.queued, larger.queued);
}

function newColumns(capacity: number): Columns {
  return {
    phase: new Uint8Array(capacity),
    unmet: new Int32Array(capacity),
    attempts: new Uint16Array(capacity),
    epoch: new Int32Array(capacity),
    startedAt: new Float64Array(capacity).fill(Number.NaN),
    queued: new Uint8Array(capacity),
  };
}

function growColumn<Column extends Uint8Array | Uint16Array | Int32Array | Float64Array>(
  old: Column,
  larger: Column,
): Column {
  larger.set(old);
  return larger;
}

export function stepCount(state: State): number {
  const region = state.regions.at(-1);
  return region === undefined ? 0 : region.base + region.size;
}

/** STATE-1: a hold is visible only while the execution would otherwise start steps. */
export function executionStatus(state: State): ExecutionStatus | "none" {
  const { baseStatus, hold } = state;
  if (hold === undefined || baseStatus === "none" || isTerminalStatus(baseStatus)) return baseStatus;
  if (hold.kind === "parked") return "parked";
  return baseStatus === "running" ? "paused" : baseStatus;
}

export function startedEvent(state: State, step: number): StepStarted | undefined {
  const event = state.phaseEvents[step];
  return event?.kind === "step.started" ? event : undefined;
}

/** Why a step has to stop: the reason of its own cancellation, or of the cancelled execution that is draining. */
export function stopReason(state: State, step: number): string {
  const event = state.phaseEvents[step];
  if (event?.kind === "step.overdue") return event.failure.message;
  return event?.kind === "steps.cancelling" ? event.reason : state.cancelling!.reason;
}
