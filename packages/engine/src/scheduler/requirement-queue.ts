// A requirement queue holds all waiting steps with the same requirement. They are admitted or blocked together.

import type { Requirement } from "./resources/claim.ts";
import type { ScheduledAlarm } from "./alarms.ts";
import { Group, type ParentGroup } from "./group.ts";
import type { ReservationRequest } from "./reservation-request.ts";
import type { ExecutionGroup } from "./execution-group.ts";

export class RequirementQueue extends Group<ExecutionGroup> {
  readonly requirement: Requirement;
  /** Fires when the first step has waited long enough to request a reservation. */
  starvationTimer: ScheduledAlarm | undefined = undefined;
  /** Its requests for reservations, one per resource. */
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
