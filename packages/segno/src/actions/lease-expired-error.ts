import { SegnoError } from "@segno/kernel";

/** The delivered lease is not, or no longer, the one under which the action may run (LEASE-1). */
export class LeaseExpiredError extends SegnoError {
  override readonly name: string = "LeaseExpiredError";
  /** The id of the action. */
  readonly actionId: string;

  constructor(actionId: string, reason: string) {
    super("LEASE_EXPIRED", `the action ${actionId} is refused: ${reason}`);
    this.actionId = actionId;
  }
}
