/** A store that lives in a file and can be copied to another one (JOURNAL-7). A store with a server has tools for that. */
export interface Backup {
  /** Writes a consistent copy to a file that must not exist. */
  backup(file: string): Promise<void>;
  /** What is wrong with the file itself, apart from what stands in it; nothing when all is well. */
  integrity(): Promise<readonly string[]>;
  /** Gives the room back that removed executions left. */
  vacuum(): Promise<void>;
}
