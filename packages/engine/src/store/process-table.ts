// Processes that were started for attempts, so that whoever owns the store next can end what was left behind.
//
// The marker of an attempt follows from its journal and is in the environment of everything that it starts; the pid and
// the time at which the process began are noted when it runs. A pid alone is worth nothing: it may be somebody else's by
// now.
//
//   N1. What was noted is there when the process that noted it was killed. When the power fails it may be gone, and so is
//       every process that it was about: no note waits for the disk.

export interface ProcessEntry {
  readonly marker: string;
  readonly pid: number;
  /** As the operating system tells it, in its own unit; together with the pid it names one process of one boot. */
  readonly startTime: string;
}

export interface ProcessTable {
  /** One entry a marker; a new one takes the place of the one before. */
  noteProcess(entry: ProcessEntry): Promise<void>;
  forgetProcess(marker: string): Promise<void>;
  /** All that were noted and not forgotten, by their markers. */
  processes(): Promise<readonly ProcessEntry[]>;
}
