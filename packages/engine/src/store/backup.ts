/** A store that lives in a file and can be copied to another one (JOURNAL-7). A store with a server has tools for that. */
export interface Backup {
  /** Writes a consistent copy to a file that must not exist. */
  backup(file: string): Promise<void>;
}
