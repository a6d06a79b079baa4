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
//   T5. What the turns that are taken together ask for is granted when all of them have decided what came (SCHED-2).

import {
  advanceInto,
  attemptsUnderWay,
  compiledStep,
  isRunning,
  isTerminalStatus,
  stepStatus,
  type Effect,
  type EpochMs,
  type Event,
  type Happening,
  type InwardEffect,
  type OutwardEffect,
  type StepIndex,
} from "@segno/kernel";
import type { Append, Content } from "../store/store.ts";
import { GrantedHappening } from "../attempts/attempt-happenings.ts";
import type { CommitResult } from "./committer.ts";
import { Posted, type Delivery } from "./delivery.ts";
import type { LiveExecution } from "./live-execution.ts";
import { Turn, type SchedulerEffects } from "./turn.ts";
import { unregisteredReason } from "../attempts/missing-runner.ts";
import { toProjection } from "./projection.ts";
import { encodeBlock } from "../journal/block-encoding.ts";
import type { StepQueue } from "./step-queue.ts";
import { TurnSchedule } from "./turn-schedule.ts";
import type { TurnLoopPorts } from "./turn-loop-ports.ts";
import { WaitTimers } from "./wait-timers.ts";
import { laterTime, toMonotonic, type ClockReading, type WakeTime } from "../clock/wake-time.ts";

const NO_DEFINITIONS: readonly Content[] = Object.freeze([]);

export class TurnLoop implements SchedulerEffects<LiveExecution> {
  readonly #ports: TurnLoopPorts;
  readonly #timers: WaitTimers;
  readonly #schedule: TurnSchedule;

  constructor(ports: TurnLoopPorts) {
    this.#ports = ports;
    this.#schedule = new TurnSchedule(ports.environment, (executions) => this.#takeAll(executions));
    const { timers, environment } = ports;
    this.#timers = new WaitTimers(timers, (execution, timer, notBefore) =>
      this.post(execution, { kind: "due", at: laterTime(environment.now(), notBefore), timer }),
    );
  }

  /** Brings something to an execution; a turn begins as soon as none is under way. */
  deliver(execution: LiveExecution, delivery: Delivery): void {
    if (execution.activity === "gone") return;
    execution.deliveries.add(delivery);
    if (execution.activity === "idle") this.#schedule.add(execution);
  }

  #takeAll(scheduled: readonly LiveExecution[]): void {
    const { committer, admission } = this.#ports;
    committer.cork(() =>
      admission.cork(() => {
        for (const execution of scheduled) if (execution.activity === "scheduled") this.#open(execution);
        // T5. One alone has nobody to wait for.
        if (scheduled.length > 1) for (const execution of scheduled) this.#listen(execution);
        for (const execution of scheduled) this.#decideAndClose(execution);
      }),
    );
  }

  post(execution: LiveExecution, happening: Happening): void {
    this.deliver(execution, new Posted(happening));
  }

  /** A step has what it needs. Within its own turn that is decided in it. */
  grant(execution: LiveExecution, step: StepIndex): void {
    if (execution.turn?.isDeciding === true) execution.turn.grants.add(step);
    else this.post(execution, this.#toGranted(execution, step, this.#ports.environment.now()));
  }

  #toGranted(execution: LiveExecution, step: StepIndex, at: EpochMs): Happening {
    return new GrantedHappening(
      at,
      step,
      this.#ports.environment.workerId,
      this.#ports.attemptTimeout(execution, step),
    );
  }

  /** FAIL-9: nothing here can run the step; it goes on when something can. */
  #park({ state }: LiveExecution, step: StepIndex, at: EpochMs): Happening {
    const { action } = compiledStep(state, step).definition;
    return { kind: "park", at, step, reason: unregisteredReason(action.kind === "agent" ? action.agent : action.kind) };
  }

  /** Goes on after values were loaded or the execution was folded again. */
  resume(execution: LiveExecution): void {
    if (execution.activity === "gone") return;
    execution.activity = "idle";
    this.#take(execution);
  }

  /**
   * Takes up a folded state: its slots, its timers, and whatever it was about to do. Durations of which only the journal
   * tells end by the wall clock, and never later than they would from the last event on.
   */
  adopt(execution: LiveExecution, known?: WakeTime): void {
    const { admission, environment } = this.#ports;
    const now = environment.now();
    admission.renew(
      execution,
      attemptsUnderWay(execution.state).map(({ step }) => step as StepIndex),
    );
    const at = Math.max(now, execution.state.at);
    this.#timers.setAll(execution, { at, monotonic: environment.monotonic() }, known);
    this.#proceedFirst(execution, now);
  }

  /** Nothing of an attempt runs: what it held is free at once, also while the turn that says so waits for values. */
  freeSlot(execution: LiveExecution, step: number): void {
    this.#ports.admission.release(execution, step as StepIndex);
  }

  /** The turn is durable although the store answered with an error: it goes on as if the answer had been good (K4). */
  confirm(execution: LiveExecution): void {
    const { turn } = execution;
    if (turn !== undefined) this.#onCommitResult(execution, turn, { kind: "durable" });
  }

  /** Lets go of its slots and timers. */
  detach(execution: LiveExecution): void {
    this.#timers.dropAll(execution);
    this.#ports.admission.forget(execution);
  }

  #take(execution: LiveExecution): void {
    this.#open(execution);
    this.#ports.admission.cork(() => this.#decideAndClose(execution));
  }

  #open(execution: LiveExecution): void {
    execution.activity = "deciding";
    execution.turn ??= new Turn(execution, this);
    execution.turn.isDeciding = true;
  }

  /** Decides what came for it, and nothing that is granted to it. */
  #listen(execution: LiveExecution): void {
    if (execution.activity !== "deciding") return;
    try {
      this.#decide(execution, execution.turn!, true);
    } catch (error) {
      this.#fail(execution, error);
    }
  }

  #decideAndClose(execution: LiveExecution): void {
    if (execution.activity !== "deciding") return;
    const turn = execution.turn!;
    try {
      if (!this.#decide(execution, turn, false)) return;
      this.#returnUnused(execution, turn);
      if (execution.state.seq >= this.#ports.journalMax) this.#boundFailures(execution, turn);
      this.#close(execution, turn);
    } catch (error) {
      this.#fail(execution, error);
    }
  }

  /** False when values have to be loaded first; the turn stays open. */
  #decide(execution: LiveExecution, turn: Turn<LiveExecution>, isOnlyForWhatCame: boolean): boolean {
    while (!turn.isFull && this.#decideNext(execution, turn, isOnlyForWhatCame)) {
      const { needs } = turn;
      if (needs.length === 0) continue;
      // They are asked for now: what is passed over next must not ask for them again.
      turn.needs = [];
      turn.isDeciding = false;
      execution.activity = "loading";
      this.#ports.loadValues(execution, needs);
      return false;
    }
    return true;
  }

  /** False when there was nothing to decide. */
  #decideNext(execution: LiveExecution, turn: Turn<LiveExecution>, isOnlyForWhatCame: boolean): boolean {
    const delivery = execution.deliveries.take();
    const { grants, unknown, at } = turn;
    if (delivery !== undefined) this.#decideDelivery(execution, turn, delivery);
    else if (isOnlyForWhatCame) return false;
    else if (this.#hasGrants(grants))
      this.#decideFirst(execution, turn, grants, this.#toGranted(execution, grants.first!, at));
    else if (unknown.first !== undefined)
      this.#decideFirst(execution, turn, unknown, this.#park(execution, unknown.first, at));
    else return false;
    return true;
  }

  /** What was asked for is settled when nothing is left that came, and nothing that was granted. */
  #hasGrants(grants: StepQueue): boolean {
    if (grants.first === undefined) this.#ports.admission.settle();
    return grants.first !== undefined;
  }

  /** A turn that is full leaves to the next one what it had still to decide. */
  #returnUnused(execution: LiveExecution, turn: Turn<LiveExecution>): void {
    const { grants, unknown, at } = turn;
    const { deliveries } = execution;
    turn.isDeciding = false;
    for (; grants.first !== undefined; grants.drop())
      deliveries.add(new Posted(this.#toGranted(execution, grants.first, at)));
    for (; unknown.first !== undefined; unknown.drop())
      deliveries.add(new Posted(this.#park(execution, unknown.first, at)));
  }

  #decideDelivery(execution: LiveExecution, turn: Turn<LiveExecution>, delivery: Delivery): void {
    const { happening } = delivery;
    if (happening.kind === "park" && !this.#isStillMissingRunner(execution, happening.step)) return;
    turn.at = happening.at;
    this.#advance(execution, turn, happening);
    if (turn.isConsumed) turn.take(delivery, this.#ports.isDurable);
    else execution.deliveries.addFirst(delivery);
    if (turn.isConsumed && turn.needs.length > 0) this.#proceedFirst(execution, happening.at);
  }

  /** Nobody waits for it, and it counts in this turn only: it need not be known what was taken. */
  #decideFirst(execution: LiveExecution, turn: Turn<LiveExecution>, line: StepQueue, happening: Happening): void {
    if (happening.kind === "park" && !this.#isStillMissingRunner(execution, happening.step)) return line.drop();
    this.#advance(execution, turn, happening);
    if (turn.isConsumed) line.drop();
    if (turn.isConsumed && turn.needs.length > 0) this.#proceedFirst(execution, happening.at);
  }

  /**
   * There was nothing to run a step with; meanwhile the step may be paused or cancelled, or somebody brought something. Where
   * its attempt has begun that found out, and the execution is held for another reason, that one stays: who resumes it sees to
   * both.
   */
  #isStillMissingRunner(execution: LiveExecution, step: StepIndex | undefined): boolean {
    if (step === undefined) return true;
    const { state } = execution;
    if (isRunning(state, step)) return state.hold === undefined;
    if (stepStatus(state, step) !== "queued") return false;
    if (!this.#ports.canRun(execution, step)) return true;
    this.#ports.admission.request(execution, step);
    return false;
  }

  #proceedFirst({ deliveries }: LiveExecution, at: EpochMs): void {
    deliveries.addFirst(new Posted({ kind: "proceed", at }));
  }

  #advance(execution: LiveExecution, turn: Turn<LiveExecution>, happening: Happening): void {
    advanceInto(turn, execution.state, happening, execution.world);
  }

  /** What goes round for ever is stopped before it fills the disk; whoever wants it to go on raises the limit. */
  #boundFailures(execution: LiveExecution, turn: Turn<LiveExecution>): void {
    const { state, world } = execution;
    if (state.base !== "running" || state.hold !== undefined) return;
    const { journalMax } = this.#ports;
    const reason = `its journal has ${state.seq} events, and \`limits.journal\` allows ${journalMax}`;
    advanceInto(turn, state, { kind: "park", at: state.at, reason }, world);
  }

  /** For turns: what is asked of slots and resources is settled while it is decided. */
  applyInward(execution: LiveExecution, effect: InwardEffect): void {
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
    }
  }

  #admit(execution: LiveExecution, step: StepIndex): void {
    if (this.#ports.canRun(execution, step)) this.#ports.admission.request(execution, step);
    else execution.turn!.unknown.add(step);
  }

  #close(execution: LiveExecution, turn: Turn<LiveExecution>): void {
    if (!this.#ports.isDurable) return this.#finish(execution, turn);
    if (turn.events.length === 0 && turn.messages.length === 0) return this.#finish(execution, turn);
    execution.activity = "committing";
    turn.reading(this.#ports.environment);
    turn.append = turn.events.length === 0 ? undefined : this.#append(execution, turn);
    this.#ports.committer.commit(turn.append, turn.messages, (answer) => this.#onCommitResult(execution, turn, answer));
  }

  #append(execution: LiveExecution, turn: Turn<LiveExecution>): Append {
    const { id, expectedEpoch, epoch, state, firstAppend } = execution;
    const { block, values } = encodeBlock(turn.events, execution.head);
    execution.onAppendSent(block.hash);
    const projection = toProjection(execution, block.hash);
    const after = state.seq - turn.events.length;
    const definitions = this.#openedDefinitions(turn.events);
    const append = { execution: id, after, expectedEpoch, epoch, block, projection, values, definitions };
    if (firstAppend === undefined) return append;
    const { key } = firstAppend;
    const all = [...firstAppend.definitions, ...definitions];
    return {
      ...append,
      definitions: all,
      ...(key === undefined ? {} : { idempotency: key.entry, keyAfter: key.after }),
    };
  }

  /** Definitions of the sub-workflows that were opened: an execution keeps the ones it began with (CONTRACT-8). */
  #openedDefinitions(events: readonly Event[]): readonly Content[] {
    if (events.every(({ kind }) => kind !== "step.expanded")) return NO_DEFINITIONS;
    return events.flatMap((event) =>
      event.kind === "step.expanded" && event.children.kind === "workflow"
        ? [this.#ports.definition(event.children.definition)]
        : [],
    );
  }

  #onCommitResult(execution: LiveExecution, turn: Turn<LiveExecution>, answer: CommitResult): void {
    if (execution.activity === "gone" || execution.turn !== turn) return;
    if (answer.kind === "failed") return this.#fail(execution, answer.error);
    if (turn.append !== undefined) execution.own(turn.append.projection.head);
    if (turn.messages.length > 0) this.#ports.onMessagesTaken(turn.messages);
    execution.firstAppend = undefined;
    try {
      this.#finish(execution, turn);
    } catch (error) {
      this.#fail(execution, error);
    }
  }

  /** T4. */
  #fail(execution: LiveExecution, error: unknown): void {
    execution.activity = "faulted";
    if (execution.turn !== undefined) execution.turn.isDeciding = false;
    this.#ports.onFault(execution, error);
  }

  /** The turn is durable, or had nothing to write. */
  #finish(execution: LiveExecution, turn: Turn<LiveExecution>): void {
    execution.turn = undefined;
    execution.activity = "deciding";
    for (let index = 0; index < turn.effects.length; index++) this.#perform(execution, turn, turn.effects[index]!);
    turn.answerAll();
    if (turn.events.length > 0) this.#ports.publish(execution, turn.events);
    execution.activity = "idle";
    if (isTerminalStatus(execution.state.base)) this.#end(execution);
    else if (execution.deliveries.size > 0) this.#takeNext(execution);
    else this.#ports.idle(execution);
  }

  /** Where nothing is waited for, one turn after the other would fill the stack. */
  #takeNext(execution: LiveExecution): void {
    if (this.#ports.isDurable) this.#take(execution);
    else this.#schedule.add(execution);
  }

  #end(execution: LiveExecution): void {
    if (execution.deliveries.size > 0) return this.#takeNext(execution);
    this.detach(execution);
    this.#ports.onEnded(execution);
  }

  #perform(execution: LiveExecution, turn: Turn<LiveExecution>, effect: OutwardEffect): void {
    switch (effect.kind) {
      case "run":
        return this.#ports.run(execution, effect, turn.overdueAt(effect, this.#ports.environment));
      case "abort":
        return this.#ports.abort(execution, effect);
      case "resolve":
        return this.#ports.resolve(execution, effect);
      case "arm":
        return this.#arm(execution, effect, turn.reading(this.#ports.environment));
      case "disarm":
        return effect.timer === undefined
          ? this.#timers.dropAll(execution)
          : this.#timers.drop(execution, effect.timer);
    }
  }

  /** A deadline goes with its attempt. */
  #arm(execution: LiveExecution, { timer, dueAt }: Effect & { kind: "arm" }, reading: ClockReading): void {
    if (timer.kind === "attempt-deadline")
      this.#ports.postpone(execution, timer.step, timer.epoch, toMonotonic(dueAt, reading));
    else this.#timers.set(execution, timer, dueAt, reading);
  }
}
