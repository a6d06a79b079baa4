// A group: members in the order of their ranks, ranked itself like its first member. Groups stand in groups, so the first of
// all is found by following first members down.
//
//   P1. A group stands in its home if and only if somebody is in it and it is not kept out.
//   P2. The rank of a group is that of its first member, always; a change is carried up at once.

import { Heap, Ranked } from "./heap.ts";

/** Where a group or a lane stands. */
export interface Home {
  enter(member: Ranked): void;
  leave(member: Ranked): void;
  moved(member: Ranked): void;
}

export class Group<Member extends Ranked> extends Ranked {
  readonly #members = new Heap<Member>();
  /** Nothing for the one that holds all others. */
  #home: Home | undefined;
  #isOut = false;

  constructor(home: Home | undefined) {
    super();
    this.#home = home;
  }

  get home(): Home | undefined {
    return this.#home;
  }

  get first(): Member | undefined {
    return this.#members.first;
  }

  get isEmpty(): boolean {
    return this.#members.size === 0;
  }

  /** Whether it is kept out of its home. */
  get isOut(): boolean {
    return this.#isOut;
  }

  /** In no order. */
  get members(): readonly Member[] {
    return this.#members.all;
  }

  enter(member: Member): void {
    this.#members.add(member);
    if (this.#members.first === member) this.#follow();
  }

  leave(member: Member): void {
    const wasFirst = this.#members.first === member;
    this.#members.delete(member);
    if (wasFirst) this.#follow();
  }

  moved(member: Member): void {
    const wasFirst = this.#members.first === member;
    this.#members.moved(member);
    if (wasFirst || this.#members.first === member) this.#follow();
  }

  keepOut(): void {
    if (this.#isOut) return;
    this.#isOut = true;
    if (this.at >= 0) this.#home!.leave(this);
  }

  letIn(): void {
    if (!this.#isOut) return;
    this.#isOut = false;
    if (!this.isEmpty) this.#follow();
  }

  moveTo(home: Home): void {
    if (this.#home === home) return;
    if (this.at >= 0) this.#home!.leave(this);
    this.#home = home;
    if (!this.isEmpty) this.#follow();
  }

  /** The rank that a first member gives to the group. */
  protected rankLike(first: Member): void {
    this.key = first.key;
    this.turn = first.turn;
    this.rank = first.rank;
    this.since = first.since;
  }

  /** The last member has left. */
  protected emptied(): void {}

  #follow(): void {
    const { first } = this.#members;
    if (first === undefined) {
      if (this.at >= 0) this.#home!.leave(this);
      this.emptied();
      return;
    }
    this.rankLike(first);
    if (this.at >= 0) this.#home!.moved(this);
    else if (!this.#isOut) this.#home?.enter(this);
  }
}
