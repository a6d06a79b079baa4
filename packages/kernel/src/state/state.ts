// The state of one execution
//
// Job: everything that its journal says, in columns of a few dozen bytes a step, so that 100,000 steps are no trouble.
// Not its job: deciding. Only `fold` changes what is durable here; what is derived, `fold` and `advance` change between them.
//
//   S1. Columns are indexed by place; the arrays are grown, so nobody keeps one.
//   S2. `last` is the event that brought a step to its phase: outputs, failures, waits and reasons are read from it.
//   S3. `agenda`, `asked`, `askedCount` and `prepared` are derived. Everything else is the fold of the journal (JOURNAL-2).

import { LazyMap, LazySet } from "./lazy-map.ts";
import type { Event, ExecutionCancelling, ExecutionCreated, ParkCause, StepStarted, Vote } from "../journal/event.ts";
import type { Failure } from "../model/failure.ts";
import type { ContentHash, EpochMs, StepIndex } from "../model/units.ts";
import type { SecretPath } from "../model/secret-path.ts";
import type { Value } from "../model/value.ts";
import type { Program } from "../program/program.ts";
import { createAgenda, type Agenda } from "./agenda.ts";
import { isTerminalStatus, PHASE_COUNT, SKIPPED, WAITING, type ExecutionStatus } from "./phase.ts";
import { newSequentialPlan, newWindow, type Region } from "./region.ts";

/** Programs of sub-workflows by the hash of their definition; the engine puts them there before it folds. */
export type Library = ReadonlyMap<ContentHash, Program>;

/** What a step is run with; it stays the same over all attempts of a round. */
export interface ResolvedCall {
  readonly value: Value | undefined;
  readonly secrets: readonly SecretPath[];
}

export interface State {
  readonly program: Program;
  readonly library: Library;
  /** Whether its steps take turns in the order of the plan, whatever its definition says (`plan-line.ts`). */
  readonly isSequential: boolean;
  seq: number;
  at: EpochMs;
  created: ExecutionCreated | undefined;
  startedAt: EpochMs | undefined;
  deadline: EpochMs | undefined;
  /** Where it is, pauses aside. */
  base: ExecutionStatus | "none";
  hold: Hold | undefined;
  round: number;
  /** Where the last attempt started. */
  worker: string | undefined;
  failure: { readonly failure: Failure; readonly step: StepIndex | undefined } | undefined;
  cancelling: ExecutionCancelling | undefined;
  result: Value | undefined;
  readonly regions: Region[];
  readonly columns: Columns;
  readonly last: (Event | undefined)[];
  readonly calls: LazyMap<number, ResolvedCall>;
  readonly losses: LazyMap<number, number>;
  /** When steps that run again had begun in the rounds before, oldest first (`step-times.ts`). */
  readonly pastStarts: LazyMap<number, PastStart[]>;
  /** Attempts that ran out of time and have their grace (FAIL-4). */
  readonly overdue: LazyMap<number, StepOverdue>;
  /** Succeeded steps that can be undone, oldest first. */
  readonly compensable: number[];
  /** The compensations of the current round: place of the undoing step, and the step it undoes. */
  readonly undoes: LazyMap<number, number>;
  readonly signals: Signals;
  readonly votes: LazyMap<number, readonly Vote[]>;
  /** Votes that have counted, in any round, each by its step and its id. */
  readonly seenVotes: LazySet<string>;
  /** Steps in each phase, so that "is anything running" costs nothing. */
  readonly counts: Int32Array;
  readonly agenda: Agenda;
  /** How many steps admission, or a definition, was asked for: those are queued. */
  queuedCount: number;
  /** What a queued step will be run with, made when it became ready. */
  readonly preparedCalls: LazyMap<number, ResolvedCall>;
  /** How many regions are maps with a limit, or sequential workflows: in them, what is ready may have to wait for its turn. */
  windows: number;
  /** Scopes that go on in a new round as soon as the item around them begins, by the step that opened them. */
  readonly heldScopes: LazyMap<number, Region>;
}

/** A start that counts for events before `seq`, with which another round began. */
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
  /** Received and not yet used, oldest first. */
  readonly pending: LazyMap<string, { readonly name: string; readonly payload: Value }>;
  /** Steps that wait, by signal, in the order in which they began to. */
  readonly waiting: LazyMap<string, Set<number>>;
  /** Signals that a waiting step refused; they are not offered to it again. */
  readonly refused: LazySet<string>;
}

export interface Columns {
  phase: Uint8Array;
  unmet: Int32Array;
  attempts: Uint16Array;
  epoch: Int32Array;
  /** When it began in this round: its first attempt, its wait, or what it opened into. NaN where it has not begun. */
  startedAt: Float64Array;
  /** 1 where admission was asked for. Derived: the journal does not know it. */
  queued: Uint8Array;
}

/** The state before the first event. Whoever runs it may want its steps in sequence although its definition does not ask for it. */
export function createState(program: Program, library: Library = new Map(), isSequential = false): State {
  const state: State = {
    program,
    library,
    isSequential,
    seq: 0,
    at: 0 as EpochMs,
    created: undefined,
    startedAt: undefined,
    deadline: undefined,
    base: "none",
    hold: undefined,
    round: 1,
    worker: undefined,
    failure: undefined,
    cancelling: undefined,
    result: undefined,
    regions: [],
    columns: newColumns(program.graph.size),
    last: [],
    calls: new LazyMap(),
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
    heldScopes: new LazyMap(),
  };
  addRegion(state, { kind: "root", program, instances: 1, parent: -1, depth: 0, value: undefined, result: -1 });
  return state;
}

export type NewRegion = Pick<Region, "kind" | "program" | "parent" | "depth" | "value" | "result"> & {
  readonly instances: number;
  /** Items at once; all of them when it is not said. */
  readonly limit?: number | undefined;
  readonly undoes?: readonly number[];
};

/** Makes room for the steps of a region, each waiting for what its program says, or skipped if it is disabled. */
export function addRegion(state: State, added: NewRegion): Region {
  const { kind, program, parent, depth, value, result, instances, limit, undoes = [] } = added;
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
    value,
    result,
    undoes,
    window: limit === undefined ? undefined : newWindow(limit, instances, stride - disabledEach),
    line: takesTurns(state, kind, program) ? newSequentialPlan(program) : undefined,
    unsettled: size - disabled,
    failedInstances: new LazySet(),
    failure: undefined,
  };
  state.regions.push(region);
  if (region.window !== undefined || region.line !== undefined) state.windows++;
  growColumns(state, base + size);
  for (let instance = 0; instance < instances; instance++) fillInstance(state, program, base + instance * stride);
  state.counts[WAITING]! += size - disabled;
  state.counts[SKIPPED]! += disabled;
  return region;
}

/** What a step opens into is a branch of its workflow and has no order of its own, unless it is a workflow itself. */
function takesTurns({ isSequential }: State, kind: Region["kind"], { definition }: Program): boolean {
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
  const { columns, last } = state;
  last.length = size;
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

/** STATE-1: a hold shows where the execution would otherwise start something. */
export function executionStatus(state: State): ExecutionStatus | "none" {
  const { base, hold } = state;
  if (hold === undefined || base === "none" || isTerminalStatus(base)) return base;
  if (hold.kind === "parked") return "parked";
  return base === "running" ? "paused" : base;
}

export function startedEvent(state: State, step: number): StepStarted | undefined {
  const event = state.last[step];
  return event?.kind === "step.started" ? event : undefined;
}

/** Why a step is to stop: because of what it was told, or because the execution that is being drained takes nothing more from it. */
export function stopReason(state: State, step: number): string {
  const event = state.last[step];
  if (event?.kind === "step.overdue") return event.failure.message;
  return event?.kind === "steps.cancelling" ? event.reason : state.cancelling!.reason;
}
