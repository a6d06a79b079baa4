// An obstacle group holds the requirement queues with the same obstacle: a resource, a reservation or a breaker. While the
// group is blocked, its queues are not checked. After the group is unblocked, its queues compete for slots again, until a
// check finds that the obstacle still blocks one of them.

import type { Ranked } from "../collections/heap.ts";
import { Group, type ParentGroup } from "./group.ts";

export class ObstacleGroup<Queue extends Ranked = Ranked> extends Group<Queue> {
  readonly #onEmptied: () => void;

  constructor(parent: ParentGroup, onEmptied: () => void = () => undefined) {
    super(parent);
    this.#onEmptied = onEmptied;
  }

  protected override onEmptied(): void {
    this.#onEmptied();
  }
}
