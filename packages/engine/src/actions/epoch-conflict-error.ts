import { SegnoError } from "@segno/kernel";

/** The action came with an epoch that is not its current one: somebody claimed or finished it since (LEASE-2). */
export class EpochConflictError extends SegnoError {
  override readonly name: string = "EpochConflictError";
  readonly actionId: string;
  /** The epoch that it came with. */
  readonly epoch: number;
  /** The epoch that it has. */
  readonly currentEpoch: number;

  constructor(action: { readonly actionId: string; readonly epoch: number }, currentEpoch: number, reason: string) {
    const { actionId, epoch } = action;
    super("EPOCH_CONFLICT", `the action ${actionId} with epoch ${epoch} is refused: ${reason}`);
    this.actionId = actionId;
    this.epoch = epoch;
    this.currentEpoch = currentEpoch;
  }
}
