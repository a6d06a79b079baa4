// A queue: everybody who waits with the same need. Whether it can be met is the same for all of them, so they are let through,
// and held up, together.

import type { Need } from "../resources/claim.ts";
import type { Alarm } from "./alarms.ts";
import { Group, type Home } from "./group.ts";
import type { Booking } from "./reservations.ts";
import type { Stand } from "./stand.ts";

export class Queue extends Group<Stand> {
  readonly need: Need;
  /** Rings when its first has waited long enough to reserve. */
  patience: Alarm | undefined = undefined;
  /** Its places in the lines for reserving, one a resource. */
  bookings: readonly Booking[] | undefined = undefined;
  readonly #onEmptied: (queue: Queue) => void;

  constructor(need: Need, home: Home, onEmptied: (queue: Queue) => void) {
    super(home);
    this.need = need;
    this.#onEmptied = onEmptied;
  }

  protected override emptied(): void {
    this.#onEmptied(this);
  }
}
