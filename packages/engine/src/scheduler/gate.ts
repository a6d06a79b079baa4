// A gate: queues that are held up by the same thing. It is open when it stands among the open ones, and closed when it is
// kept out; then nothing in it is looked at.

import { Group, type Home } from "./group.ts";
import type { Queue } from "./queue.ts";

export class Gate extends Group<Queue> {
  readonly #onEmptied: () => void;

  constructor(home: Home, onEmptied: () => void = () => undefined) {
    super(home);
    this.#onEmptied = onEmptied;
  }

  protected override emptied(): void {
    this.#onEmptied();
  }
}
