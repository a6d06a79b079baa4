// A group is a heap of ranked members and has itself the rank of its first member. Groups nest, so the first step of
// all is found by following first members down.
//
//   P1. A group is in its parent if and only if it has a member and is not excluded.
//   P2. The rank of a group is that of its first member, and a change reaches the parent at once. Exception: the other
//       groups of an execution are not re-ranked when one of them is served. `WaitQueue.first` re-ranks such a group
//       when it comes first.

import { Heap, Ranked } from "../collections/heap.ts";

/** The group that contains a group or a claim queue. */
export interface ParentGroup {
  enter(member: Ranked): void;
  leave(member: Ranked): void;
  onMemberMoved(member: Ranked): void;
}

export class Group<Member extends Ranked> extends Ranked {
  readonly #members = new Heap<Member>();
  /** Undefined for the root. */
  #parent: ParentGroup | undefined;
  #isExcluded = false;

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

  /** Whether the group is kept out of its parent. */
  get isExcluded(): boolean {
    return this.#isExcluded;
  }

  /** In no particular order. */
  get members(): readonly Member[] {
    return this.#members.all;
  }

  enter(member: Member): void {
    this.#members.add(member);
    if (this.#members.first === member) this.#updateRank();
  }

  leave(member: Member): void {
    const wasFirst = this.#members.first === member;
    this.#members.delete(member);
    if (wasFirst) this.#updateRank();
  }

  onMemberMoved(member: Member): void {
    const wasFirst = this.#members.first === member;
    this.#members.reposition(member);
    if (wasFirst || this.#members.first === member) this.#updateRank();
  }

  exclude(): void {
    if (this.#isExcluded) return;
    this.#isExcluded = true;
    if (this.index >= 0) this.#parent!.leave(this);
  }

  include(): void {
    if (!this.#isExcluded) return;
    this.#isExcluded = false;
    if (!this.isEmpty) this.#updateRank();
  }

  moveTo(parent: ParentGroup): void {
    if (this.#parent === parent) return;
    if (this.index >= 0) this.#parent!.leave(this);
    this.#parent = parent;
    if (!this.isEmpty) this.#updateRank();
  }

  /** Copies the rank of the first member. */
  protected copyRank(first: Member): void {
    this.key = first.key;
    this.tieBreakSeq = first.tieBreakSeq;
    this.stepRank = first.stepRank;
    this.since = first.since;
  }

  /** Called when the last member has left. */
  protected onEmptied(): void {}

  #updateRank(): void {
    const { first } = this.#members;
    if (first === undefined) {
      if (this.index >= 0) this.#parent!.leave(this);
      this.onEmptied();
      return;
    }
    this.copyRank(first);
    if (this.index >= 0) this.#parent!.onMemberMoved(this);
    else if (!this.#isExcluded) this.#parent?.enter(this);
  }
}
