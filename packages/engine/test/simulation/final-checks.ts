// The final checks of a simulated run: after faults stop, all executions must end (Z3), and a later undo must not
// change how they ended (Z4).
//
// Waiting steps get signals, paused executions are resumed, hanging ones are cancelled. Nothing may be left over: no
// unattended execution, slot, timer, promise or message.

import {
  attemptsUnderWay,
  epochMs,
  isTerminalStatus,
  notUndoneSteps,
  listTimers,
  type ExecutionId,
} from "@segno/kernel";
import { NO_FAULTS } from "../../src/testing/faulty-store.ts";
import { ClaimBroken, type Simulation } from "./simulation.ts";
import { stateImage } from "./state-image.ts";
import { SIGNALS } from "./workflows.ts";
import { inspectAdmission, inspectEngine } from "../../src/testing/index.ts";

/** The reason for cancelling an execution that hangs without a deadline. */
const UNREACHABLE = "hopeless";

export class FinalChecks {
  readonly #simulation: Simulation;

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
  }

  async run(): Promise<void> {
    await this.#calmDown();
    await this.#finish();
    if (this.#simulation.chance.percent(40)) await this.#retryFailed();
    if (this.#simulation.seed % 7 === 3) await this.#retryTolerated();
    await this.#undoLeft();
    await this.#checkEnd();
  }

  /** Stops faults, misbehaviour of agents, and user actions. */
  async #calmDown(): Promise<void> {
    this.#simulation.note("calm");
    this.#simulation.disk.rates = NO_FAULTS;
    this.#simulation.agents.isCalm = true;
    if (this.#simulation.poster !== undefined) this.#simulation.crash(this.#simulation.poster);
    await this.#simulation.until(
      () => this.#simulation.owner?.engine?.isOwner === true && !this.#simulation.owner.isClosing,
      60_000,
    );
    this.#simulation.registerAll();
    if (this.#simulation.owner?.engine === undefined || this.#simulation.owner.isClosing)
      this.#simulation.break("Z3 the engine does not open although nothing is wrong any more");
  }

  #unended(): ExecutionId[] {
    return [...this.#simulation.ledger.accounts.values()]
      .filter(({ id, state }) => !isTerminalStatus(state.baseStatus) && !this.#simulation.disk.isDamaged(id))
      .map(({ id }) => id);
  }

  /** Messages for a damaged execution stay posted. */
  #unconsumed(): readonly number[] {
    return this.#simulation.ledger.untaken
      .filter(({ execution }) => !this.#simulation.disk.isDamaged(execution))
      .map(({ id }) => id);
  }

  #isDone(): boolean {
    if (this.#unended().length > 0 || this.#unconsumed().length > 0) return false;
    const engine = this.#simulation.owner?.engine;
    // A slow commit of an execution that was evicted meanwhile may still create it.
    if (engine === undefined || this.#simulation.disk.commitsUnderWay.size > 0) return false;
    return inspectEngine(engine).liveCount === 0 && this.#simulation.user.isServed;
  }

  /** Z3. */
  async #finish(): Promise<void> {
    for (let round = 0; round < 20; round++) {
      const isOver = await this.#simulation.until(() => this.#isDone(), 8000);
      if (isOver) return;
      if (this.#unconsumed().length > 0)
        this.#simulation.break(`Z3 nobody takes the messages ${this.#unconsumed().join(", ")}`);
      for (const id of this.#unended()) this.#checkSeenTo(id);
      for (const id of this.#unended()) await this.#nudge(id, round);
      // Compensation is never stopped, so one that hangs without a deadline ends only with its process.
      if (round === 6 || round === 8) await this.#restart();
    }
    const left = this.#unended().map((id) => `${id} ${stateImage(this.#simulation.ledger.accounts.get(id)!.state)}`);
    this.#simulation.user.checkSettled();
    const messages = this.#unconsumed().join(", ");
    this.#simulation.break(`Z3 not ended although faults have stopped: ${left.join("\n")}; messages left: ${messages}`);
  }

  /** No execution is lost: it is in memory, or waits for something that has not come. */
  #checkSeenTo(id: ExecutionId): void {
    const { state } = this.#simulation.ledger.accounts.get(id)!;
    const engine = this.#simulation.owner?.engine;
    if (engine !== undefined && inspectEngine(engine).live(id) !== undefined) return;
    // It arrived after its owner had read, and is found by the next sweep, within a minute.
    if (this.#simulation.disk.hasApplied(id) || this.#simulation.isLate) return;
    const isDue = listTimers(state).some(({ dueAt }) => dueAt < this.#simulation.world.clock - 2000);
    if (isDue || attemptsUnderWay(state).length > 0)
      this.#simulation.break(`Z3 nobody sees to ${id}: ${stateImage(state)}`);
  }

  /** STATE-2: failed executions get another round, now that there are no faults. */
  async #retryFailed(): Promise<void> {
    const failed = [...this.#simulation.ledger.accounts.values()].filter(({ state }) => state.baseStatus === "failed");
    for (const { id } of failed) {
      const handle = await this.#withRetry(this.#simulation.owner!.engine!.get(id));
      if (handle !== undefined) await this.#withRetry(handle.retry());
    }
    await this.#finish();
  }

  /** STATE-2: completed executions run their tolerated failures again. Those without any refuse, which changes nothing. */
  async #retryTolerated(): Promise<void> {
    const completed = [...this.#simulation.ledger.accounts.values()].filter(
      ({ state }) => state.baseStatus === "completed",
    );
    for (const { id } of completed) {
      const handle = await this.#withRetry(this.#simulation.owner!.engine!.get(id));
      if (handle !== undefined) await this.#withRetry(handle.retry({ tolerated: true }));
    }
    await this.#finish();
  }

  /** FAIL-8: failed compensations are retried, and the end of each execution stays the same. */
  async #undoLeft(): Promise<void> {
    const ended = [...this.#simulation.ledger.accounts.values()].filter(
      ({ state }) => notUndoneSteps(state).length > 0,
    );
    const before = ended.map(({ state }) => [
      state.baseStatus,
      state.round,
      state.failure?.failure,
      state.cancelling?.reason,
    ]);
    for (const { id } of ended) {
      const handle = await this.#withRetry(this.#simulation.owner!.engine!.get(id));
      if (handle !== undefined) await this.#withRetry(handle.retry({ undo: true }));
    }
    await this.#finish();
    ended.forEach(({ id, state }, index) => {
      const after = [state.baseStatus, state.round, state.failure?.failure, state.cancelling?.reason];
      if (state.cancelling?.reason !== UNREACHABLE && JSON.stringify(after) !== JSON.stringify(before[index]))
        this.#simulation.break(
          `Z4 undoing left ${id} as ${JSON.stringify(after)}, not ${JSON.stringify(before[index])}`,
        );
    });
  }

  async #restart(): Promise<void> {
    this.#simulation.crash(this.#simulation.owner!);
    this.#simulation.openOwner();
    await this.#simulation.until(() => this.#simulation.owner?.engine?.isOwner === true, 10_000);
  }

  async #nudge(id: ExecutionId, round: number): Promise<void> {
    const { state } = this.#simulation.ledger.accounts.get(id)!;
    const engine = this.#simulation.owner!.engine!;
    const handle = await this.#withRetry(engine.get(id));
    if (handle === undefined) return;
    // An execution that hangs without a deadline, or needs an unknown agent, does not end by itself.
    const isHopeless = round >= 3 && attemptsUnderWay(state).length > 0;
    if (isHopeless) await this.#withRetry(handle.cancel({ reason: UNREACHABLE }));
    if (state.hold !== undefined) await this.#withRetry(handle.resume());
    for (const name of SIGNALS) {
      // One for each waiting step, and one for the next.
      const waiting = state.signals.waiting.get(name)?.size ?? 0;
      for (let count = 0; count <= waiting; count++) await this.#withRetry(handle.signal(name, round));
    }
  }

  /** Runs the world until a promise has settled. */
  async #withRetry<Value>(promise: Promise<Value>): Promise<Value | undefined> {
    let isSettled = false;
    let value: Value | undefined;
    const settled = promise.then(
      (given) => {
        value = given;
        isSettled = true;
      },
      (error: unknown) => {
        this.#simulation.note(`  refused: ${(error as Error).message}`);
        isSettled = true;
      },
    );
    if (!(await this.#simulation.until(() => isSettled, 10_000)))
      this.#simulation.break("Z3 a wish is not answered although nothing is wrong any more");
    if (this.#simulation.failure !== undefined) throw new ClaimBroken(this.#simulation.failure);
    await settled;
    return value;
  }

  /** Nothing is left over: no slot, timer, promise or message; every journal verifies. */
  async #checkEnd(): Promise<void> {
    const { engine, environment } = this.#simulation.owner!;
    const executions = inspectEngine(engine!);
    const admission = inspectAdmission(engine!);
    await this.#simulation.until(() => false, 2500);
    this.#simulation.user.checkSettled();
    if (admission.usedSlots !== 0) this.#simulation.break(`Z3 ${admission.usedSlots} slots are in use at the end`);
    if (executions.liveCount !== 0)
      this.#simulation.break(`Z3 ${executions.liveCount} executions are in memory at the end`);
    const timersMax = await this.#timersMax();
    if (!(await this.#simulation.until(() => executions.timerCount <= timersMax, 3000)))
      this.#simulation.break(`Z3 ${executions.timerCount} timers are set at the end, not ${timersMax}`);
    for (const { id } of this.#simulation.ledger.accounts.values()) {
      const verified = await this.#withRetry(engine!.verify(id));
      if (verified?.ok !== !this.#simulation.disk.isDamaged(id))
        this.#simulation.break(`Z3 verifying ${id} says ${JSON.stringify(verified)}`);
    }
    await this.#withRetry(engine!.close());
    // An abandoned agent keeps running by itself.
    const left = this.#simulation.world.processTasks(environment).filter(({ label }) => !label.includes(" run "));
    if (environment.hasAlarm || left.length > 0) this.#simulation.break("Z3 a closed engine left something behind");
    if (this.#simulation.failure !== undefined) throw new ClaimBroken(this.#simulation.failure);
  }

  /**
   * The poll and the sweep. A damaged execution that has not become due since the damage is not quarantined yet: each of
   * the two clocks may wake it.
   */
  async #timersMax(): Promise<number> {
    const { executions } = await this.#simulation.disk.memory.find({
      dueBy: epochMs(Number.MAX_SAFE_INTEGER),
      limit: 1000,
    });
    return 2 + 2 * executions.filter(({ id }) => this.#simulation.disk.isDamaged(id)).length;
  }
}
