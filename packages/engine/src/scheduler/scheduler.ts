// The scheduler: who may run now, over all executions of the engine (SCHED-1 to SCHED-7).
//
// A step asks with its claim. It is granted at once where there is room, and waits on the board otherwise. It never looks at a
// clock of its own and sets no timer: it says when it wants to be woken.
//
//   G1. A slot is held from its grant until its release, and never twice for the same step.
//   G2. A request that its limits hold back does not hold back those behind it (SCHED-3).
//   G3. Nothing is lost: a request is granted, withdrawn or still waiting.
//   G4. Between two calls, whoever could run does: if a slot is free, everybody who waits is held up by something else. So
//       who asks and fits overtakes nobody. A turn is one call: everything that is asked for and given back in it counts at
//       its end, so that steps that become ready together are granted by their order and not by that of their declaration.
//   G5. What a step needs it gets all at once or not at all, and while it waits it has nothing. Together with V1 of the
//       reservations this is why there is no deadlock.
//   G6. No grant ever takes more of a resource than its bound allows. Attempts that run already when they are heard of are
//       counted even so.
//
// Not its job: when a step is ready, what a grant leads to, and what becomes of attempts.

import type { AttemptResult } from "../resources/breaker.ts";
import type { Claim } from "../resources/claim.ts";
import type { Take } from "../resources/resource.ts";
import type { Account } from "./account.ts";
import { areFirstCome, Arrivals, type Run } from "./arrivals.ts";
import { Board, keptOf, NOTHING } from "./board.ts";
import { Choice } from "./choice.ts";
import { reasonsFor, Turns, type GivenUp } from "./explanation.ts";
import type { Lane } from "./lane.ts";
import { Lobby } from "./lobby.ts";
import type { Stand } from "./stand.ts";
import type { Running, SchedulerLimits, SchedulerPorts } from "./scheduler-ports.ts";
import { SchedulerTime } from "./scheduler-time.ts";
import { orderOf, type Order, type Strategy } from "./strategy.ts";
import type { WaitReason } from "./wait-reason.ts";

export class Scheduler<Owner> {
  readonly #slots: number;
  readonly #ports: SchedulerPorts<Owner>;
  readonly #order: Order;
  readonly #time: SchedulerTime;
  readonly #board: Board;
  readonly #choice: Choice;
  /** Accounts that hold more than slots. */
  readonly #takers = new Set<Account<Owner>>();
  /** What attempts hold that were given up and still run. */
  readonly #givenUp = new Map<object, GivenUp>();
  readonly #turns = new Turns();
  readonly #arrivals = new Arrivals<Owner>();
  /** A turn goes on. */
  #isGathering = false;
  /** Something has changed in it that may let somebody who waits go on. */
  #isDue = false;
  #used = 0;
  #waiting = 0;
  #turn = 0;
  #askedMs: number | undefined;
  #isServing = false;
  #isClosed = false;

  constructor(limits: SchedulerLimits, ports: SchedulerPorts<Owner>, strategy: Strategy = "priority") {
    this.#slots = limits.slots;
    this.#ports = ports;
    this.#order = orderOf(strategy);
    this.#time = new SchedulerTime(ports.clock);
    this.#board = new Board(this.#time);
    this.#choice = new Choice(this.#board, ports);
  }

  get used(): number {
    return this.#used;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Nothing is granted any more; what asks waits. */
  close(): void {
    this.#isClosed = true;
    this.#ask(undefined);
  }

  /** A turn: what `work` asks for and gives back counts when it is over, or when it says `settle` (G4). */
  gather(work: () => void): void {
    if (this.#isGathering) return work();
    this.#isGathering = true;
    try {
      work();
    } finally {
      this.settle();
      this.#isGathering = false;
    }
  }

  /** What was asked for and given back in this turn so far counts now. */
  settle(): void {
    if (this.#arrivals.isEmpty && !this.#isDue) return;
    const isFreer = this.#isDue && this.#waiting > 0;
    const wasGathering = this.#isGathering;
    this.#isDue = false;
    this.#isGathering = false;
    if (isFreer || !this.#arrivals.isEmpty) this.#decideBetween(this.#arrivals.take(), isFreer);
    this.#isGathering = wasGathering;
  }

  /** Grants at once where there is room, later otherwise; within a turn, at its end. */
  request(account: Account<Owner>, step: number, claim: Claim): void {
    if (this.#isGathering) this.#arrivals.add(account, step, claim);
    else this.#admit(account, step, claim);
  }

  #decideBetween(runs: readonly Run<Owner>[], isFreer: boolean): void {
    if (isFreer || !areFirstCome(runs, this.#order, this.#slots - this.#used)) {
      this.#ringDue();
      this.#lineUp(runs);
      this.#serve();
    } else for (const { account, claim, steps } of runs) for (const step of steps) this.#admit(account, step, claim);
  }

  #lineUp(runs: readonly Run<Owner>[]): void {
    const nowMs = this.#time.now();
    for (const { account, claim, steps } of runs)
      for (const step of steps) if (!this.#isKnown(account, step)) this.#join(account, step, claim, nowMs);
  }

  #isKnown({ held, lobby }: Account<Owner>, step: number): boolean {
    // It was asked for before, and withdrawn when its grant was already on the way: that grant will do (G1).
    return held.has(step) || (lobby !== undefined && lobby.laneOf(step) !== undefined);
  }

  /** Who has asked in this turn waits like all others: somebody is to leave, and may be among them. */
  #lineUpAll(): void {
    if (this.#arrivals.isEmpty) return;
    this.#lineUp(this.#arrivals.take());
    this.#isDue = true;
  }

  #admit(account: Account<Owner>, step: number, claim: Claim): void {
    if (this.#isKnown(account, step)) return;
    if (!claim.isPlain && !this.#board.alarms.isEmpty && this.#ringDue()) this.#serve();
    if (this.#hasRoom(account) && (claim.isPlain || this.#fits(claim))) {
      if (account.lobby !== undefined && account.lobby.size > 0) account.lastServedMs = this.#time.now();
      this.#take(account, step, claim);
      this.#ports.grant(account.owner, step);
    } else {
      this.#join(account, step, claim, this.#time.now());
      this.#serve();
    }
  }

  /** Takes what is already in use: an attempt that runs although its execution was folded again, or that a crash left. */
  occupy(account: Account<Owner>, step: number, claim: Claim, startedAtMs?: number): void {
    if (account.held.has(step)) return;
    this.withdraw(account, step);
    this.#hold(account, step, claim);
    if (claim.isPlain) return;
    const nowMs = this.#time.now();
    this.#board.take(claim, startedAtMs === undefined ? nowMs : Math.min(nowMs, this.#time.fromWallClock(startedAtMs)));
  }

  /**
   * The slot is free, and what was held with it; unless something of the attempt still runs, which is named by a token: then
   * that is free when the token has settled (CANCEL-2). Returns what is still held. How it ended is told before, by `ended`.
   */
  release(account: Account<Owner>, step: number, stillRuns?: object, isAbandoned = false): readonly Take[] {
    const claim = account.held.get(step);
    if (claim === undefined) return NOTHING;
    account.held.delete(step);
    this.#used--;
    const kept = stillRuns === undefined ? NOTHING : keptOf(claim, isAbandoned);
    if (!claim.isPlain) this.#giveBack(account, step, claim, kept, stillRuns);
    account.lobby?.putBack();
    if (this.#waiting > 0) this.#serve();
    return kept;
  }

  /** What was given up and still ran has ended at last. */
  settled(token: object): void {
    const given = this.#givenUp.get(token);
    if (given === undefined) return;
    this.#givenUp.delete(token);
    this.#board.stick(given.kept, -1, this.#time.now());
    this.#board.giveBack(given.kept);
    this.#serve();
  }

  /** How the attempt of a step ended that has not been released yet; its breaker wants to know (FAIL-6). */
  ended(account: Account<Owner>, step: number, result: AttemptResult): void {
    const claim = account.held.get(step);
    if (claim?.need.breaker === undefined) return;
    this.#board.ended(claim, { account, step, result }, this.#time.now());
    if (this.#waiting > 0) this.#serve();
  }

  /** One that holds its slot already, because its grant is on the way, does not wait. */
  withdraw(account: Account<Owner>, step: number): void {
    this.#lineUpAll();
    const lane = account.lobby?.laneOf(step);
    if (lane === undefined) return;
    account.lobby!.delete(lane, step);
    this.#waiting--;
    this.#serve();
  }

  withdrawAll(account: Account<Owner>): void {
    if (!this.#dismiss(account)) return;
    this.#serve();
  }

  /** Everything of an owner that has ended, or is let go. */
  forget(account: Account<Owner>): void {
    this.#clear(account);
    this.#serve();
  }

  /** An owner that was folded again: what runs of it keeps what it has, and nobody gets that in between (G6). */
  renew(account: Account<Owner>, running: readonly Running[]): void {
    this.#clear(account);
    for (const { step, claim, startedAtMs } of running) this.occupy(account, step, claim, startedAtMs);
    this.#serve();
  }

  #clear(account: Account<Owner>): void {
    this.#dismiss(account);
    for (const [step, claim] of account.held) {
      account.held.delete(step);
      this.#used--;
      if (!claim.isPlain) this.#giveBack(account, step, claim, NOTHING);
    }
  }

  /** The time has come that was asked for. */
  wake(): void {
    this.#askedMs = undefined;
    this.#board.alarms.ringUntil(this.#time.now());
    this.#serve();
  }

  /** Every reason why a step waits at the moment; none when it does not wait (SCHED-7). */
  why(account: Account<Owner>, step: number): readonly WaitReason<Owner>[] {
    const lane = account.lobby?.laneOf(step);
    if (lane === undefined) return [];
    const reasons = reasonsFor(
      { account, step, lane },
      {
        board: this.#board,
        time: this.#time,
        slots: { used: this.#used, max: this.#slots },
        executionMax: this.#limitOf(account),
        isClosing: this.#isClosed,
        turns: this.#turns,
        takers: this.#takers,
        givenUp: this.#givenUp,
      },
    );
    return reasons as readonly WaitReason<Owner>[];
  }

  #limitOf(account: Account<unknown>): number {
    return Math.min(account.limit, this.#order.atOnce);
  }

  /** While others are being served, who asks waits for its turn. */
  #hasRoom({ held, limit }: Account<Owner>): boolean {
    if (this.#used >= this.#slots || held.size >= limit || held.size >= this.#order.atOnce) return false;
    return !this.#isClosed && !this.#isServing;
  }

  #fits({ need }: Claim): boolean {
    const isTimed = need.isTimed || need.breaker?.isClosed === false;
    return this.#board.fits(need, isTimed ? this.#time.now() : 0);
  }

  /** Who has waited for a time that has come goes first, also when the call that tells of it is late. True when it has. */
  #ringDue(): boolean {
    const { alarms } = this.#board;
    if (alarms.isEmpty) return false;
    const nowMs = this.#time.now();
    if (alarms.dueAtMs! > nowMs) return false;
    alarms.ringUntil(nowMs);
    return true;
  }

  #join(account: Account<Owner>, step: number, claim: Claim, nowMs: number): void {
    const lobby = (account.lobby ??= this.#newLobby(account));
    if (lobby.size === 0) this.#beginToWait(account, nowMs);
    const lane = lobby.laneFor(claim);
    const isFirst = lane.stand.queue.isEmpty;
    if (account.held.size >= this.#limitOf(account)) lobby.setAside(lane.stand);
    lobby.add(lane, step, this.#time.arrival(nowMs), this.#rankOf(account, step, lobby.order));
    this.#waiting++;
    if (isFirst && !claim.isPlain && !lane.stand.queue.isEmpty) this.#board.passes(lane.stand.queue, nowMs);
  }

  #beginToWait(account: Account<Owner>, nowMs: number): void {
    account.lastServedMs = nowMs;
    account.turn = ++this.#turn;
  }

  #newLobby(account: Account<Owner>): Lobby {
    return new Lobby(account, account.order ?? this.#order, (need) => this.#board.queueOf(need));
  }

  #rankOf({ owner }: Account<Owner>, step: number, { ranking }: Order): number {
    if (ranking === "none") return 0;
    return ranking === "declaration" ? step : -this.#ports.weight(owner, step);
  }

  /** True when somebody left. */
  #dismiss(account: Account<Owner>): boolean {
    this.#lineUpAll();
    const { lobby } = account;
    if (lobby === undefined) return false;
    account.lobby = undefined;
    this.#waiting -= lobby.size;
    lobby.close();
    return lobby.size > 0;
  }

  #take(account: Account<Owner>, step: number, claim: Claim): void {
    this.#hold(account, step, claim);
    account.turn = ++this.#turn;
    if (claim.isPlain) return;
    const { need } = claim;
    this.#turns.forget();
    this.#board.take(claim, need.isTimed ? this.#time.now() : 0);
    need.breaker?.started(account, step);
  }

  #hold(account: Account<Owner>, step: number, claim: Claim): void {
    account.held.set(step, claim);
    this.#used++;
    if (!claim.isPlain && account.takers++ === 0) this.#takers.add(account);
  }

  #giveBack(account: Account<Owner>, step: number, claim: Claim, kept: readonly Take[], token?: object): void {
    if (--account.takers === 0) this.#takers.delete(account);
    // Whoever was a probe and ended in neither way leaves its place.
    const { breaker, takes } = claim.need;
    if (breaker?.isClosed === false) this.#board.ended(claim, { account, step, result: "other" }, this.#time.now());
    if (token !== undefined) this.settled(token);
    if (token === undefined || kept.length === 0) return this.#board.giveBack(takes);
    this.#board.giveBack(takes.filter((take) => !kept.includes(take)));
    this.#givenUp.set(token, { account, step, kept });
    this.#board.stick(kept, 1, this.#time.now());
  }

  /** Grants until there is no slot, or nobody who could use it. */
  #serve(): void {
    this.#turns.forget();
    if (this.#isGathering) this.#isDue = true;
    if (this.#isServing || this.#isClosed || this.#isGathering) return;
    this.#isServing = true;
    try {
      let stand = this.#next();
      for (const nowMs = stand === undefined ? 0 : this.#time.now(); stand !== undefined; stand = this.#next())
        this.#look(stand, nowMs);
    } finally {
      this.#isServing = false;
    }
    this.#ask(this.#board.alarms.dueAtMs);
  }

  #next(): Stand | undefined {
    return this.#used < this.#slots ? this.#board.first : undefined;
  }

  /** Grants one of its steps, unless it turns out that something holds it up. */
  #look(stand: Stand, nowMs: number): void {
    const { account } = stand;
    const lobby = account.lobby!;
    if (account.held.size >= this.#limitOf(account)) return lobby.setAside(stand);
    const { queue } = stand;
    if (!queue.need.isNothing && !this.#board.passes(queue, nowMs)) return;
    const probe = this.#board.probe(queue.need, nowMs, (other) => other.held.size < this.#limitOf(other));
    if (probe !== undefined) return this.#serveOne(probe, probe.steps.first, nowMs);
    const lane = stand.first!;
    if (lobby.order.strategy === undefined) return this.#serveOne(lane, lane.steps.first, nowMs);
    const chosen = this.#choice.of(lane, lobby.order.strategy, nowMs);
    this.#serveOne(chosen.lane, chosen.step, nowMs);
  }

  #serveOne(lane: Lane, step: number, nowMs: number): void {
    const account = lane.stand.account as Account<Owner>;
    account.lastServedMs = nowMs;
    this.#take(account, step, lane.claim);
    account.lobby!.delete(lane, step);
    this.#waiting--;
    if (!lane.claim.isPlain) this.#board.served(lane.stand.queue, nowMs);
    this.#ports.grant(account.owner, step);
  }

  #ask(dueAtMs: number | undefined): void {
    if (dueAtMs === this.#askedMs) return;
    this.#askedMs = dueAtMs;
    this.#ports.wakeAt(dueAtMs);
  }
}
