// Records the processes that attempts started, so that the next owner of the store can end leftover processes.
//
// The marker of an attempt follows from its journal. It is in the environment of every process that the attempt starts.
// The pid and start time are recorded when the process runs. A pid alone identifies nothing, because the system reuses
// pids.
//
//   N1. A record survives when the process that wrote it is killed. A power failure may lose the record, but it ends
//       the recorded process as well. So no record waits for the disk.

/** The record of a process that an attempt started, by which a later engine finds it. */
export interface ProcessEntry {
  readonly marker: string;
  readonly pid: number;
  /**
   * The start time as the operating system reports it, in its own unit, the number of processes that the system had
   * started by then, and the start time of its first process. Together with the pid it identifies one process of one boot, and its group (`process-identity.ts`).
   */
  readonly startTime: string;
}

/** The part of a store that keeps the records of processes. */
export interface ProcessRecords {
  /** Stores one entry per marker; a new entry replaces the previous one. */
  noteProcess(entry: ProcessEntry): Promise<void>;
  /** Removes the entry of a marker. */
  forgetProcess(marker: string): Promise<void>;
  /** All entries that were recorded and not removed, by marker. */
  processes(): Promise<readonly ProcessEntry[]>;
}

/** Undefined if the store does not record processes. */
export function recordsIn(store: Partial<ProcessRecords>): ProcessRecords | undefined {
  return store.noteProcess === undefined ? undefined : (store as ProcessRecords);
}
