// A queue: everybody who waits with the same need. Whether it can be met is the same for all of them, so they are let through,
// and held up, together.

import type { Requirement } from "./resources/claim.ts";
import type { ScheduledAlarm } from "./alarms.ts";
import { Group, type ParentGroup } from "./group.ts";
import type { ReservationRequest } from "./reservation-request.ts";
import type { ExecutionGroup } from "./execution-group.ts";

export class RequirementQueue extends Group<ExecutionGroup> {
  readonly requirement: Requirement;
  /** Rings when its first has waited long enough to reserve. */
  starvationTimer: ScheduledAlarm | undefined = undefined;
  /** Its places in the lines for reserving, one a resource. */
  reservationRequests: readonly ReservationRequest<RequirementQueue>[] | undefined = undefined;
  readonly #onEmptied: (queue: RequirementQueue) => void;

  constructor(requirement: Requirement, parent: ParentGroup, onEmptied: (queue: RequirementQueue) => void) {
    super(parent);
    this.requirement = requirement;
    this.#onEmptied = onEmptied;
  }

  protected override onEmptied(): void {
    this.#onEmptied(this);
  }
}
