// The lobby of an execution: all its steps that wait, wherever on the board they stand.

import type { Claim, Need } from "../resources/claim.ts";
import type { Account } from "./account.ts";
import { Lane } from "./lane.ts";
import type { Queue } from "./queue.ts";
import { Stand } from "./stand.ts";
import { FifoSteps, RankedSteps } from "./steps.ts";
import { keyOf, type Order } from "./strategy.ts";
import { Whereabouts } from "./whereabouts.ts";

/** So many empty lanes are kept for the next time. */
const LANES_KEPT = 16;

export class Lobby {
  readonly #account: Account<unknown>;
  readonly #queueOf: (need: Need) => Queue;
  readonly #where = new Whereabouts();
  readonly #byClaim = new Map<Claim, Lane>();
  readonly #stands = new Map<Need, Stand>();
  /** Lanes are numbered from 1. */
  #lanes: Lane[] = [];
  /** Stands that were first although the execution runs as much as it may. */
  #aside: Stand[] = [];
  #order: Order;
  #size = 0;

  constructor(account: Account<unknown>, order: Order, queueOf: (need: Need) => Queue) {
    this.#account = account;
    this.#order = order;
    this.#queueOf = queueOf;
  }

  get size(): number {
    return this.#size;
  }

  get order(): Order {
    return this.#order;
  }

  get lanes(): readonly Lane[] {
    return this.#lanes;
  }

  /** Where a step waits; nothing when it does not. */
  laneOf(step: number): Lane | undefined {
    const number = this.#where.laneOf(step);
    return number === 0 ? undefined : this.#lanes[number - 1];
  }

  add(lane: Lane, step: number, since: number, rank: number): void {
    this.#size++;
    lane.add(step, since, rank);
  }

  delete(lane: Lane, step: number): void {
    this.#size--;
    lane.delete(step);
    if (this.#size === 0 && this.#lanes.length > LANES_KEPT) this.#forgetLanes();
  }

  /** The lane for a claim. */
  laneFor(claim: Claim): Lane {
    return this.#byClaim.get(claim) ?? this.#open(claim);
  }

  /** The execution runs as much as it may: nobody has to look at this stand until that has changed. */
  setAside(stand: Stand): void {
    if (stand.isOut) return;
    stand.keepOut();
    this.#aside.push(stand);
  }

  /** The execution may run more again. */
  putBack(): void {
    if (this.#aside.length === 0) return;
    const aside = this.#aside;
    this.#aside = [];
    for (const stand of aside) stand.letIn();
  }

  /** Everybody leaves, and nobody comes again. */
  close(): void {
    for (const stand of this.#stands.values()) stand.keepOut();
    for (const lane of this.#lanes) lane.close();
  }

  reorder(order: Order): void {
    this.#order = order;
    for (const lane of this.#lanes) lane.rekey(keyOf(order, lane.claim));
  }

  #forgetLanes(): void {
    this.#stands.clear();
    this.#byClaim.clear();
    this.#lanes = [];
    this.#aside = [];
  }

  #open(claim: Claim): Lane {
    const { ranking } = this.#order;
    const number = this.#lanes.length + 1;
    const steps = ranking === "none" ? new FifoSteps(this.#where, number) : new RankedSteps(this.#where, number);
    const lane = new Lane(this.#standFor(claim.need), claim, steps, keyOf(this.#order, claim));
    this.#lanes.push(lane);
    this.#byClaim.set(claim, lane);
    return lane;
  }

  #standFor(need: Need): Stand {
    let stand = this.#stands.get(need);
    if (stand === undefined) this.#stands.set(need, (stand = new Stand(this.#account, this.#queueOf(need))));
    return stand;
  }
}
