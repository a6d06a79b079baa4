// A blocked group holds the requirement queues with the same obstacle. While the group is blocked, its queues are not
// checked. An unblocked group is part of the wait queue again until one of its queues is found blocked.

import type { Ranked } from "../collections/heap.ts";
import { Group, type ParentGroup } from "./group.ts";

export class BlockedGroup<Queue extends Ranked = Ranked> extends Group<Queue> {
  readonly #onEmptied: () => void;

  constructor(parent: ParentGroup, onEmptied: () => void = () => undefined) {
    super(parent);
    this.#onEmptied = onEmptied;
  }

  protected override onEmptied(): void {
    this.#onEmptied();
  }
}
