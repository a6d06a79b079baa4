/** A store in files that other processes can move, delete or replace while the store is open. */
export interface FileCheck {
  /**
   * Rejects with `STORE_MOVED` if the files are no longer the ones that were opened. From then on every other operation
   * rejects, too.
   */
  checkFiles(): Promise<void>;
}
