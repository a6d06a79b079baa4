// The turn loop: the only place where an execution advances.
//
// A turn consumes all deliveries of the execution, decides until nothing is left (admission included), appends once,
// and performs the external effects when the append is durable.
//
//   T1. No external effect is performed before the events that cause it are durable (JOURNAL-1).
//   T2. An execution has at most one append in flight; deliveries that arrive meanwhile wait in its queue.
//   T3. A turn keeps its deliveries until it is durable. If the append fails, the execution is reloaded from the store
//       and gets them again; those that had already taken effect are stale and ignored.
//   T4. A bug in one execution quarantines that execution and no other.
//   T5. If several turns run together, grants are decided after all of them have decided their deliveries (SCHED-2).

import {
  advanceInto,
  attemptsUnderWay,
  isTerminalStatus,
  type ContentHash,
  type Effect,
  type EpochMs,
  type Happening,
  type AdmissionEffect,
  type ExternalEffect,
  type StepIndex,
  type StoredValues,
} from "@segno/kernel";
import type { Fifo } from "@segno/kernel/fifo";
import { GrantedHappening } from "../attempts/attempt-happenings.ts";
import type { GrantListener } from "./admission-controller.ts";
import type { CommitResult } from "./committer.ts";
import { InternalDelivery, type Delivery } from "./delivery.ts";
import type { ExecutionHost, LiveExecution } from "./live-execution.ts";
import { Turn, type AdmissionEffectHandler } from "./turn.ts";
import { isQueued, parkStillApplies, toParkHappening } from "./missing-agent.ts";
import { toAppend } from "./append.ts";
import { TurnQueue } from "./turn-queue.ts";
import { NO_LISTENER, type TurnListener, type TurnLoopPorts } from "./turn-loop-ports.ts";
import { ExecutionTimers } from "./execution-timers.ts";
import { laterTime, toMonotonic, type TimeBase, type WakeTime } from "../clock/wake-time.ts";

export class TurnLoop implements ExecutionHost, GrantListener, AdmissionEffectHandler<LiveExecution> {
  readonly checkSchema: StoredValues["checkSchema"];
  readonly #ports: TurnLoopPorts;
  readonly #timers: ExecutionTimers;
  readonly #turnQueue: TurnQueue;
  #listener: TurnListener = NO_LISTENER;

  constructor(ports: TurnLoopPorts) {
    this.#ports = ports;
    this.checkSchema = ports.checkSchema;
    this.#turnQueue = new TurnQueue(ports.environment, (executions) => this.#runTurns(executions));
    const { timers, environment } = ports;
    this.#timers = new ExecutionTimers(timers, (execution, timer, notBefore) =>
      this.enqueue(execution, { kind: "due", at: laterTime(environment.now(), notBefore), timer }),
    );
  }

  /** Turns are reported to this listener. No execution is in memory before it is connected. */
  connect(listener: TurnListener): void {
    this.#listener = listener;
  }

  /** Delivers a happening. The turn that decides it begins soon (`turn-queue.ts`), or after the current turn. */
  deliver(execution: LiveExecution, delivery: Delivery): void {
    if (execution.turnStage === "gone") return;
    execution.deliveries.add(delivery);
    if (execution.turnStage === "idle") this.#turnQueue.add(execution);
  }

  #runTurns(executions: readonly LiveExecution[]): void {
    const { committer, admission } = this.#ports;
    committer.cork(() =>
      admission.cork(() => {
        for (const execution of executions) if (execution.turnStage === "turn-queued") this.#beginTurn(execution);
        // T5. A single turn has no others to wait for.
        if (executions.length > 1) for (const execution of executions) this.#decideDeliveries(execution);
        for (const execution of executions) this.#decideAndCommit(execution);
      }),
    );
  }

  /** Delivers a happening that comes from inside the engine. */
  enqueue(execution: LiveExecution, happening: Happening): void {
    this.deliver(execution, new InternalDelivery(happening));
  }

  /** The scheduler granted a step. While the turn of the execution is deciding, the grant is decided in that turn. */
  onGranted(execution: LiveExecution, step: StepIndex): void {
    if (execution.turn?.isDeciding === true) execution.turn.grants.add(step);
    else this.enqueue(execution, this.#toGrantedHappening(execution, step, this.#ports.environment.now()));
  }

  #toGrantedHappening(execution: LiveExecution, step: StepIndex, at: EpochMs): Happening {
    const { environment, dispatcher } = this.#ports;
    return new GrantedHappening(at, step, environment.workerId, dispatcher.attemptTimeout(execution, step));
  }

  /** Continues after values were loaded or the execution was reloaded. */
  continueTurn(execution: LiveExecution): void {
    if (execution.turnStage === "gone") return;
    execution.turnStage = "idle";
    this.#runTurn(execution);
  }

  /**
   * Starts an execution whose state was loaded: counts its running attempts, arms its timers, and decides what follows from
   * the state. If the monotonic end of a duration is unknown, the remaining time is computed from the wall clock; a clock
   * that was set back behind the last event does not lengthen it.
   */
  startLoaded(execution: LiveExecution, knownWakeTime?: WakeTime): void {
    const { admission, environment } = this.#ports;
    const now = environment.now();
    admission.restore(
      execution,
      attemptsUnderWay(execution.state).map(({ step }) => step as StepIndex),
    );
    const at = Math.max(now, execution.state.at);
    this.#timers.armAll(execution, { at, monotonic: environment.monotonic() }, knownWakeTime);
    this.#enqueueProceed(execution, now);
  }

  /**
   * No part of the attempt runs: frees its slot at once, even if the turn that records its end still waits for values.
   */
  releaseStep(execution: LiveExecution, step: number): void {
    this.#ports.admission.release(execution, step as StepIndex);
  }

  /** The append is in the store although the commit returned an error: continues as after a successful commit (`store.ts`). */
  confirmAppend(execution: LiveExecution): void {
    const { turn } = execution;
    if (turn !== undefined) this.#onCommitResult(execution, turn, { kind: "durable" });
  }

  /** Frees the execution's slots and disarms its timers. */
  detach(execution: LiveExecution): void {
    this.#timers.disarmAll(execution);
    this.#ports.admission.forget(execution);
  }

  #runTurn(execution: LiveExecution): void {
    this.#beginTurn(execution);
    this.#ports.admission.cork(() => this.#decideAndCommit(execution));
  }

  #beginTurn(execution: LiveExecution): void {
    execution.turnStage = "deciding";
    execution.turn ??= new Turn(execution, this);
    execution.turn.isDeciding = true;
  }

  /** Decides the deliveries of the execution, but not its grants (T5). */
  #decideDeliveries(execution: LiveExecution): void {
    if (execution.turnStage !== "deciding") return;
    try {
      this.#decide(execution, execution.turn!, true);
    } catch (error) {
      this.#fail(execution, error);
    }
  }

  #decideAndCommit(execution: LiveExecution): void {
    if (execution.turnStage !== "deciding") return;
    const turn = execution.turn!;
    try {
      if (!this.#decide(execution, turn, false)) return;
      this.#requeueUndecided(execution, turn);
      if (execution.state.seq >= this.#ports.storage.journalMax) this.#parkAtJournalLimit(execution, turn);
      this.#commit(execution, turn);
    } catch (error) {
      this.#fail(execution, error);
    }
  }

  /** Returns false if values have to be loaded first; the turn stays open. */
  #decide(execution: LiveExecution, turn: Turn<LiveExecution>, deliveriesOnly: boolean): boolean {
    while (!turn.isFull && this.#decideNext(execution, turn, deliveriesOnly)) {
      const { missingValues } = turn;
      if (missingValues.length === 0) continue;
      // The values are being loaded; the next decision must not request them again.
      turn.missingValues = [];
      turn.isDeciding = false;
      execution.turnStage = "loading";
      void this.#loadValues(execution, missingValues);
      return false;
    }
    return true;
  }

  async #loadValues(execution: LiveExecution, hashes: readonly ContentHash[]): Promise<void> {
    try {
      await this.#ports.storage.loadValues(execution, hashes);
      this.continueTurn(execution);
    } catch (error) {
      this.onFault(execution, error);
    }
  }

  /** Returns false if nothing was left to decide. */
  #decideNext(execution: LiveExecution, turn: Turn<LiveExecution>, deliveriesOnly: boolean): boolean {
    const delivery = execution.deliveries.dequeue();
    const { grants, unrunnable, at } = turn;
    if (delivery !== undefined) this.#decideDelivery(execution, turn, delivery);
    else if (deliveriesOnly) return false;
    else if (this.#hasGrantAfterFlush(grants))
      this.#decideFirst(execution, turn, grants, this.#toGrantedHappening(execution, grants.first!, at));
    else if (unrunnable.first !== undefined)
      this.#decideFirst(execution, turn, unrunnable, toParkHappening(execution, unrunnable.first, at));
    else return false;
    return true;
  }

  /** Flushes admission only when no delivery and no grant is left to decide, so that requests are evaluated together. */
  #hasGrantAfterFlush(grants: Fifo<StepIndex>): boolean {
    if (grants.first === undefined) this.#ports.admission.flush();
    return grants.first !== undefined;
  }

  /** A full turn leaves its undecided grants and parks to the next turn. */
  #requeueUndecided(execution: LiveExecution, turn: Turn<LiveExecution>): void {
    const { grants, unrunnable, at } = turn;
    const { deliveries } = execution;
    turn.isDeciding = false;
    for (; grants.first !== undefined; grants.drop())
      deliveries.add(new InternalDelivery(this.#toGrantedHappening(execution, grants.first, at)));
    for (; unrunnable.first !== undefined; unrunnable.drop())
      deliveries.add(new InternalDelivery(toParkHappening(execution, unrunnable.first, at)));
  }

  #decideDelivery(execution: LiveExecution, turn: Turn<LiveExecution>, delivery: Delivery): void {
    const { happening } = delivery;
    if (happening.kind === "park" && !parkStillApplies(execution, happening.step, this.#ports.dispatcher))
      return this.#dropPark(execution, happening.step!);
    turn.at = happening.at;
    this.#advance(execution, turn, happening);
    if (turn.isHappeningConsumed) turn.consume(delivery, this.#ports.storage.hasStore);
    else execution.deliveries.addFirst(delivery);
    if (turn.isHappeningConsumed && turn.missingValues.length > 0) this.#enqueueProceed(execution, happening.at);
  }

  /** Grants and parks have no waiting caller and belong to this turn only, so they are not kept for redelivery. */
  #decideFirst(
    execution: LiveExecution,
    turn: Turn<LiveExecution>,
    queue: Fifo<StepIndex>,
    happening: Happening,
  ): void {
    if (happening.kind === "park" && !parkStillApplies(execution, happening.step, this.#ports.dispatcher)) {
      this.#dropPark(execution, happening.step!);
      return queue.drop();
    }
    this.#advance(execution, turn, happening);
    if (turn.isHappeningConsumed) queue.drop();
    if (turn.isHappeningConsumed && turn.missingValues.length > 0) this.#enqueueProceed(execution, happening.at);
  }

  /** A queued step whose park no longer applies can run now, so it requests admission. */
  #dropPark(execution: LiveExecution, step: StepIndex): void {
    if (isQueued(execution, step)) this.#ports.admission.request(execution, step);
  }

  #enqueueProceed({ deliveries }: LiveExecution, at: EpochMs): void {
    deliveries.addFirst(new InternalDelivery({ kind: "proceed", at }));
  }

  #advance(execution: LiveExecution, turn: Turn<LiveExecution>, happening: Happening): void {
    advanceInto(turn, execution.state, happening, execution.values);
  }

  /**
   * Parks an execution that exceeds the journal limit, so that an endless loop cannot fill the disk. Raise the limit to
   * continue.
   */
  #parkAtJournalLimit(execution: LiveExecution, turn: Turn<LiveExecution>): void {
    const { state, values } = execution;
    if (state.baseStatus !== "running" || state.hold !== undefined) return;
    const { journalMax } = this.#ports.storage;
    const reason = `its journal has ${state.seq} events, and \`limits.journal\` allows ${journalMax}`;
    advanceInto(turn, state, { kind: "park", at: state.at, cause: "journal-limit", reason }, values);
  }

  /** Requests, withdraws or releases slots and resources during the decision. */
  applyAdmissionEffect(execution: LiveExecution, effect: AdmissionEffect): void {
    const { admission } = this.#ports;
    switch (effect.kind) {
      case "admit":
        return this.#requestAdmission(execution, effect.step);
      case "release":
        return admission.release(execution, effect.step);
      case "withdraw":
        return effect.step === undefined
          ? admission.withdrawAll(execution)
          : admission.withdraw(execution, effect.step);
    }
  }

  #requestAdmission(execution: LiveExecution, step: StepIndex): void {
    if (this.#ports.dispatcher.canRun(execution, step)) this.#ports.admission.request(execution, step);
    else execution.turn!.unrunnable.add(step);
  }

  #commit(execution: LiveExecution, turn: Turn<LiveExecution>): void {
    const { storage, committer, environment } = this.#ports;
    if (!storage.hasStore) return this.#finish(execution, turn);
    if (turn.events.length === 0 && turn.messages.length === 0) return this.#finish(execution, turn);
    execution.turnStage = "committing";
    turn.freezeTimeBase(environment);
    turn.append = turn.events.length === 0 ? undefined : toAppend(execution, turn.events, storage);
    committer.commit(turn.append, turn.messages, (result) => this.#onCommitResult(execution, turn, result));
  }

  #onCommitResult(execution: LiveExecution, turn: Turn<LiveExecution>, result: CommitResult): void {
    if (execution.turnStage === "gone" || execution.turn !== turn) return;
    if (result.kind === "failed") return this.#fail(execution, result.error);
    if (turn.append !== undefined) execution.onAppendDurable(turn.append.projection.head);
    if (turn.messages.length > 0) this.#listener.onMessagesConsumed(turn.messages);
    execution.startContents = undefined;
    try {
      this.#finish(execution, turn);
    } catch (error) {
      this.#fail(execution, error);
    }
  }

  /** After a failed commit, the execution is reloaded (T3); after a bug, it is quarantined (T4). */
  #fail(execution: LiveExecution, error: unknown): void {
    execution.turnStage = "faulted";
    if (execution.turn !== undefined) execution.turn.isDeciding = false;
    this.onFault(execution, error);
  }

  /** The execution cannot continue: a commit or a read failed, or a bug broke it. */
  onFault(execution: LiveExecution, error: unknown): void {
    this.#listener.onFault(execution, error);
  }

  /** The turn is durable, or had nothing to write. */
  #finish(execution: LiveExecution, turn: Turn<LiveExecution>): void {
    execution.turn = undefined;
    execution.turnStage = "performing";
    for (let index = 0; index < turn.effects.length; index++) this.#perform(execution, turn, turn.effects[index]!);
    turn.sendReplies();
    if (turn.events.length > 0) this.#listener.onEvents(execution, turn.events);
    execution.turnStage = "idle";
    if (isTerminalStatus(execution.state.baseStatus)) this.#end(execution);
    else if (execution.deliveries.size > 0) this.#runNextTurn(execution);
    else this.#listener.onIdle(execution);
  }

  /** Without a store no turn waits, so running the next one directly would grow the stack. */
  #runNextTurn(execution: LiveExecution): void {
    if (this.#ports.storage.hasStore) this.#runTurn(execution);
    else this.#turnQueue.add(execution);
  }

  #end(execution: LiveExecution): void {
    if (execution.deliveries.size > 0) return this.#runNextTurn(execution);
    this.detach(execution);
    this.#listener.onEnded(execution);
  }

  #perform(execution: LiveExecution, turn: Turn<LiveExecution>, effect: ExternalEffect): void {
    switch (effect.kind) {
      case "run":
        return this.#ports.dispatcher.run(execution, effect, turn.monotonicDeadline(effect, this.#ports.environment));
      case "abort":
        return this.#ports.dispatcher.abort(execution, effect);
      case "resolve-definition":
        return this.#ports.dispatcher.resolveDefinition(execution, effect);
      case "arm":
        return this.#arm(execution, effect, turn.freezeTimeBase(this.#ports.environment));
      case "disarm":
        return effect.timer === undefined
          ? this.#timers.disarmAll(execution)
          : this.#timers.disarm(execution, effect.timer);
    }
  }

  /** Attempt deadlines belong to the dispatcher, all other timers to `ExecutionTimers`. */
  #arm(execution: LiveExecution, { timer, dueAt }: Effect & { kind: "arm" }, timeBase: TimeBase): void {
    if (timer.kind === "attempt-deadline")
      this.#ports.dispatcher.rearmDeadline(execution, timer.step, timer.epoch, toMonotonic(dueAt, timeBase));
    else this.#timers.arm(execution, timer, dueAt, timeBase);
  }
}
