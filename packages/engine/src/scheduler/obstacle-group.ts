// An obstacle group holds the requirement queues with the same obstacle: a resource, a reservation or a breaker. While
// the group is excluded from the root of the wait queue, its queues are not checked. After it is included, its queues
// compete for slots again, until a check finds that the obstacle still blocks one of them.

import type { Ranked } from "../collections/heap.ts";
import { Group, type ParentGroup } from "./group.ts";

export class ObstacleGroup<Queue extends Ranked = Ranked> extends Group<Queue> {
  readonly #onEmptied: () => void;

  constructor(parent: ParentGroup, onEmptied: () => void) {
    super(parent);
    this.#onEmptied = onEmptied;
  }

  protected override onEmptied(): void {
    this.#onEmptied();
  }
}
