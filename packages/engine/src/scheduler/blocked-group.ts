// A blocked group: queues that are held up by the same thing. It is open when it stands among the open ones, and closed when it is
// kept out; then nothing in it is looked at.

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
