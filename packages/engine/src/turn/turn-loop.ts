// The turn loop: the one place where an execution goes forward.
//
// A turn takes everything in the execution's inbox, decides until quiet, admission included, appends once, and when that
// is durable carries out the outward effects.
//
//   T1. No outward effect before the events that ask for it are durable (JOURNAL-1).
//   T2. One append under way an execution; what happens meanwhile waits in its inbox.
//   T3. What a turn took is kept until it is durable. If it cannot be made durable the execution is folded again from what
//       the store has, and gets what the turn took once more; whatever had counted already is stale and ignored.
//   T4. A bug in one execution sets that execution aside and no other.

import {
  advance,
  attemptsUnderWay,
  compiledStep,
  isTerminalStatus,
  timersOf,
  type Advance,
  type ContentHash,
  type Effect,
  type EpochMs,
  type Event,
  type Happening,
  type StepIndex,
  type WaitTimer,
} from "@segno/kernel";
import type { Environment } from "../clock/environment.ts";
import type { Append, Content } from "../store/store.ts";
import type { Admission } from "./admission.ts";
import type { CommitAnswer, Committer } from "./committer.ts";
import { Turn, type Delivery, type LiveExecution } from "./live-execution.ts";
import { projectionOf, UNREGISTERED } from "./projection.ts";
import { seal } from "./seal.ts";
import type { TimerWheel, WheelEntry } from "./timer-wheel.ts";

/** What the loop asks of the engine around it. */
export interface TurnPorts {
  readonly environment: Environment;
  readonly committer: Committer;
  readonly admission: Admission;
  readonly wheel: TimerWheel<TimerItem>;
  /** How many events a journal may have. */
  readonly journalMax: number;
  /** False when there is no store: then nothing is sealed and nothing is waited for. */
  readonly isDurable: boolean;
  /** Whether there is something to run a step with. */
  knows(execution: LiveExecution, step: StepIndex): boolean;
  run(execution: LiveExecution, effect: Effect & { kind: "run" }): void;
  abort(execution: LiveExecution, effect: Effect & { kind: "abort" }): void;
  /** The deadline of an attempt came before its time. */
  postpone(execution: LiveExecution, step: StepIndex, epoch: number, deadline: EpochMs): void;
  resolve(execution: LiveExecution, effect: Effect & { kind: "resolve" }): void;
  loadValues(execution: LiveExecution, hashes: Advance["needs"]): void;
  /** The text of a definition that is in the library. */
  definition(hash: ContentHash): Content;
  publish(execution: LiveExecution, events: readonly Event[]): void;
  /** The execution could not be made durable, or is broken: the engine heals it or sets it aside. */
  ail(execution: LiveExecution, error: unknown): void;
  ended(execution: LiveExecution): void;
  /** An execution has nothing to do at the moment. */
  readonly idle: () => void;
}

export interface TimerItem {
  readonly execution: LiveExecution;
  readonly timer: WaitTimer;
}

const NO_DEFINITIONS: readonly Content[] = Object.freeze([]);

export class TurnLoop {
  readonly #ports: TurnPorts;
  #summoned: LiveExecution[] = [];

  constructor(ports: TurnPorts) {
    this.#ports = ports;
  }

  /** Brings something to an execution; a turn begins as soon as none is under way. */
  deliver(execution: LiveExecution, delivery: Delivery): void {
    if (execution.activity === "gone") return;
    execution.inbox.add(delivery);
    if (execution.activity === "idle") this.#summon(execution);
  }

  /** In a moment: functions that end together end in one turn, which costs as much as one of them alone. */
  #summon(execution: LiveExecution): void {
    execution.activity = "summoned";
    if (this.#summoned.push(execution) === 1) this.#ports.environment.soon(() => this.#takeAll());
  }

  #takeAll(): void {
    const summoned = this.#summoned;
    this.#summoned = [];
    this.#ports.committer.together(() => {
      for (const execution of summoned) if (execution.activity === "summoned") this.#take(execution);
    });
  }

  /** All fields are there, although they are empty: what every step makes several of should have one shape. */
  post(execution: LiveExecution, happening: Happening): void {
    this.deliver(execution, { happening, answer: undefined, refuse: undefined, message: undefined });
  }

  /** Goes on after values were loaded or the execution was folded again. */
  resume(execution: LiveExecution): void {
    if (execution.activity === "gone") return;
    execution.activity = "idle";
    this.#take(execution);
  }

  /** Takes up a folded state: its slots, its timers, and whatever it was about to do. */
  adopt(execution: LiveExecution): void {
    const { admission } = this.#ports;
    admission.forget(execution);
    this.#dropTimers(execution);
    for (const { step } of attemptsUnderWay(execution.state)) admission.occupy(execution, step as StepIndex);
    for (const { timer, dueAt } of timersOf(execution.state))
      if (timer.kind !== "attempt-deadline") this.#set(execution, timer, dueAt);
    execution.inbox.addFirst({ happening: { kind: "proceed", at: this.#ports.environment.now() } });
  }

  /** The turn is durable although the store answered with an error: it goes on as if the answer had been good (K4). */
  confirm(execution: LiveExecution): void {
    const { turn } = execution;
    if (turn !== undefined) this.#answered(execution, turn, { kind: "durable" });
  }

  /** Lets go of its slots and timers. */
  release(execution: LiveExecution): void {
    this.#dropTimers(execution);
    this.#ports.admission.forget(execution);
  }

  #take(execution: LiveExecution): void {
    execution.activity = "deciding";
    execution.turn ??= new Turn();
    try {
      if (!this.#decide(execution, execution.turn)) return;
      if (execution.state.seq >= this.#ports.journalMax) this.#bound(execution, execution.turn);
      this.#close(execution, execution.turn);
    } catch (error) {
      execution.activity = "ailing";
      this.#ports.ail(execution, error);
    }
  }

  /** False when values have to be loaded first; the turn stays open. */
  #decide(execution: LiveExecution, turn: Turn): boolean {
    const { inbox } = execution;
    const { isDurable } = this.#ports;
    let delivery = inbox.take();
    for (; delivery !== undefined; delivery = turn.isFull ? undefined : inbox.take()) {
      if (isStalePark(execution, delivery)) continue;
      turn.current = delivery.happening;
      advance(execution.state, delivery.happening, execution.world, turn);
      if (turn.isTaken) turn.take(delivery, isDurable);
      else inbox.addFirst(delivery);
      while (turn.settled < turn.effects.length) this.#settle(execution, turn.effects[turn.settled++]!);
      turn.current = undefined;
      if (turn.needs.length === 0) continue;
      if (turn.isTaken) inbox.addFirst({ happening: { kind: "proceed", at: delivery.happening.at } });
      execution.activity = "loading";
      this.#ports.loadValues(execution, turn.needs);
      return false;
    }
    return true;
  }

  /** What goes round for ever is stopped before it fills the disk; whoever wants it to go on raises the limit. */
  #bound(execution: LiveExecution, turn: Turn): void {
    const { state, world } = execution;
    if (state.base !== "running" || state.hold !== undefined) return;
    const { journalMax } = this.#ports;
    const reason = `its journal has ${state.seq} events, and \`limits.journal\` allows ${journalMax}`;
    advance(state, { kind: "park", at: state.at, reason }, world, turn);
    while (turn.settled < turn.effects.length) this.#settle(execution, turn.effects[turn.settled++]!);
  }

  /** Inward effects settle at once; the others wait until the turn is durable. */
  #settle(execution: LiveExecution, effect: Effect): void {
    const { admission } = this.#ports;
    switch (effect.kind) {
      case "admit":
        return this.#admit(execution, effect.step);
      case "release":
        return admission.release(execution, effect.step);
      case "withdraw":
        return effect.step === undefined
          ? admission.withdrawAll(execution)
          : admission.withdraw(execution, effect.step);
      case "run":
      case "resolve":
      case "arm":
      case "disarm":
      case "abort":
    }
  }

  #admit(execution: LiveExecution, step: StepIndex): void {
    if (this.#ports.knows(execution, step)) return this.#ports.admission.request(execution, step);
    const { definition } = compiledStep(execution.state, step);
    const agent = definition.action.kind === "agent" ? definition.action.agent : definition.action.kind;
    const reason = `${UNREGISTERED} \`${agent}\``;
    execution.inbox.add({ happening: { kind: "park", at: this.#ports.environment.now(), step, reason } });
  }

  #close(execution: LiveExecution, turn: Turn): void {
    if (!this.#ports.isDurable) return this.#finish(execution, turn);
    if (turn.events.length === 0 && turn.messages.length === 0) return this.#finish(execution, turn);
    execution.activity = "committing";
    turn.append = turn.events.length === 0 ? undefined : this.#append(execution, turn);
    this.#ports.committer.commit(turn.append, turn.messages, (answer) => this.#answered(execution, turn, answer));
  }

  #append(execution: LiveExecution, turn: Turn): Append {
    const { id, found, epoch, state, firstAppend } = execution;
    const { block, values } = seal(turn.events, execution.head);
    execution.sent(block.hash);
    const projection = projectionOf(execution, block.hash);
    const after = state.seq - turn.events.length;
    const definitions = this.#opened(turn.events);
    const append = { execution: id, after, found, epoch, block, projection, values, definitions };
    if (firstAppend === undefined) return append;
    const { idempotency } = firstAppend;
    const all = [...firstAppend.definitions, ...definitions];
    return { ...append, definitions: all, ...(idempotency === undefined ? {} : { idempotency }) };
  }

  /** Definitions of the sub-workflows that were opened: an execution keeps the ones it began with (CONTRACT-8). */
  #opened(events: readonly Event[]): readonly Content[] {
    if (events.every(({ kind }) => kind !== "step.expanded")) return NO_DEFINITIONS;
    return events.flatMap((event) =>
      event.kind === "step.expanded" && event.children.kind === "workflow"
        ? [this.#ports.definition(event.children.definition)]
        : [],
    );
  }

  #answered(execution: LiveExecution, turn: Turn, answer: CommitAnswer): void {
    if (execution.activity === "gone" || execution.turn !== turn) return;
    if (answer.kind === "failed") {
      execution.activity = "ailing";
      return this.#ports.ail(execution, answer.error);
    }
    if (turn.append !== undefined) execution.own(turn.append.projection.head);
    execution.firstAppend = undefined;
    this.#finish(execution, turn);
  }

  /** The turn is durable, or had nothing to write. */
  #finish(execution: LiveExecution, turn: Turn): void {
    execution.turn = undefined;
    execution.activity = "deciding";
    for (let index = 0; index < turn.effects.length; index++) this.#perform(execution, turn.effects[index]!);
    turn.answerAll();
    if (turn.events.length > 0) this.#ports.publish(execution, turn.events);
    execution.activity = "idle";
    if (isTerminalStatus(execution.state.base)) this.#end(execution);
    else if (execution.inbox.size > 0) this.#take(execution);
    else this.#ports.idle();
  }

  #end(execution: LiveExecution): void {
    if (execution.inbox.size > 0) return this.#take(execution);
    this.release(execution);
    this.#ports.ended(execution);
  }

  #perform(execution: LiveExecution, effect: Effect): void {
    switch (effect.kind) {
      case "run":
        return this.#ports.run(execution, effect);
      case "abort":
        return this.#ports.abort(execution, effect);
      case "resolve":
        return this.#ports.resolve(execution, effect);
      case "arm":
        return this.#arm(execution, effect);
      case "disarm":
        return effect.timer === undefined ? this.#dropTimers(execution) : this.#disarm(execution, effect.timer);
      case "admit":
      case "release":
      case "withdraw":
    }
  }

  /** A deadline goes with its attempt. */
  #arm(execution: LiveExecution, { timer, dueAt }: Effect & { kind: "arm" }): void {
    if (timer.kind === "attempt-deadline") this.#ports.postpone(execution, timer.step, timer.epoch, dueAt);
    else this.#set(execution, timer, dueAt);
  }

  #set(execution: LiveExecution, timer: WaitTimer, dueAt: EpochMs): void {
    const key = timerKey(timer);
    const before = execution.timers.get(key);
    if (before !== undefined) this.#ports.wheel.drop(before as WheelEntry<TimerItem>);
    execution.timers.set(key, this.#ports.wheel.set(dueAt, { execution, timer }));
  }

  #disarm(execution: LiveExecution, timer: WaitTimer): void {
    const key = timerKey(timer);
    const entry = execution.timers.get(key);
    if (entry === undefined) return;
    execution.timers.delete(key);
    this.#ports.wheel.drop(entry as WheelEntry<TimerItem>);
  }

  #dropTimers(execution: LiveExecution): void {
    for (const entry of execution.timers.values()) this.#ports.wheel.drop(entry as WheelEntry<TimerItem>);
    execution.timers.clear();
  }
}

/** Something to run a step with was missing, but meanwhile the step was paused or cancelled. */
function isStalePark({ state }: LiveExecution, { happening }: Delivery): boolean {
  return happening.kind === "park" && happening.step !== undefined && state.columns.asked[happening.step] !== 1;
}

/** One timer of a kind and a step at a time: two keys a step, those of the execution itself below zero. */
function timerKey(timer: WaitTimer): number {
  switch (timer.kind) {
    case "execution-deadline":
      return -1;
    case "force":
      return -2;
    case "backoff":
      return timer.step * 2;
    case "wait":
      return timer.step * 2 + 1;
  }
}
