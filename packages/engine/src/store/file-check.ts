/** A store in files that others can move, delete or replace while it is open. */
export interface FileCheck {
  /** Rejects with `STORE_MOVED` when they are not the ones that were opened; from then on everything else does, too. */
  checkFiles(): Promise<void>;
}
