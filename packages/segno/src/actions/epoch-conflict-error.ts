import { SegnoError } from "@segno/kernel";

/** The delivered epoch of the action is not its current one: the action was claimed or finished since (LEASE-2). */
export class EpochConflictError extends SegnoError {
  override readonly name: string = "EpochConflictError";
  /** The id of the action. */
  readonly actionId: string;
  /** The delivered epoch. */
  readonly epoch: number;
  /** The current epoch. */
  readonly currentEpoch: number;

  constructor(action: { readonly actionId: string; readonly epoch: number }, currentEpoch: number, reason: string) {
    const { actionId, epoch } = action;
    super("EPOCH_CONFLICT", `the action ${actionId} with epoch ${epoch} is refused: ${reason}`);
    this.actionId = actionId;
    this.epoch = epoch;
    this.currentEpoch = currentEpoch;
  }
}
