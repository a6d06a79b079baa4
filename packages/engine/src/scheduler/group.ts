// A group: members in the order of their ranks, ranked itself like its first member. Groups stand in groups, so the first of
// all is found by following first members down.
//
//   P1. A group stands in its home if and only if somebody is in it and it is not kept out.
//   P2. The rank of a group is that of its first member, always; a change is carried up at once.

import { Heap, Ranked } from "../collections/heap.ts";

/** Where a group or a claim queue stands. */
export interface ParentGroup {
  enter(member: Ranked): void;
  leave(member: Ranked): void;
  onMemberMoved(member: Ranked): void;
}

export class Group<Member extends Ranked> extends Ranked {
  readonly #members = new Heap<Member>();
  /** Nothing for the one that holds all others. */
  #parent: ParentGroup | undefined;
  #isBlocked = false;

  constructor(parent: ParentGroup | undefined) {
    super();
    this.#parent = parent;
  }

  get parent(): ParentGroup | undefined {
    return this.#parent;
  }

  get first(): Member | undefined {
    return this.#members.first;
  }

  get isEmpty(): boolean {
    return this.#members.size === 0;
  }

  /** Whether it is kept out of its home. */
  get isBlocked(): boolean {
    return this.#isBlocked;
  }

  /** Unordered. */
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

  onMemberMoved(member: Member): void {
    const wasFirst = this.#members.first === member;
    this.#members.reposition(member);
    if (wasFirst || this.#members.first === member) this.#follow();
  }

  block(): void {
    if (this.#isBlocked) return;
    this.#isBlocked = true;
    if (this.at >= 0) this.#parent!.leave(this);
  }

  unblock(): void {
    if (!this.#isBlocked) return;
    this.#isBlocked = false;
    if (!this.isEmpty) this.#follow();
  }

  moveTo(parent: ParentGroup): void {
    if (this.#parent === parent) return;
    if (this.at >= 0) this.#parent!.leave(this);
    this.#parent = parent;
    if (!this.isEmpty) this.#follow();
  }

  /** The rank that a first member gives to the group. */
  protected rankLike(first: Member): void {
    this.key = first.key;
    this.fairnessSeq = first.fairnessSeq;
    this.rank = first.rank;
    this.since = first.since;
  }

  /** The last member has left. */
  protected onEmptied(): void {}

  #follow(): void {
    const { first } = this.#members;
    if (first === undefined) {
      if (this.at >= 0) this.#parent!.leave(this);
      this.onEmptied();
      return;
    }
    this.rankLike(first);
    if (this.at >= 0) this.#parent!.onMemberMoved(this);
    else if (!this.#isBlocked) this.#parent?.enter(this);
  }
}
