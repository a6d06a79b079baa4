// The record of one process in the store.
//
// A record costs two writes, and is useful only if this process dies before the process tree. So a tree that runs briefly
// is not recorded at all; its marker follows from the journal and is enough to find it.

import type { ProcessRecords } from "../../store/process-records.ts";
import { readIdentity } from "./process-identity.ts";

export interface ProcessRecordOptions {
  readonly records: ProcessRecords;
  readonly marker: string;
  readonly pid: number;
  readonly report: (error: unknown) => void;
}

const RECORDED_AFTER_MS = 50;

export class ProcessRecordWriter {
  readonly #options: ProcessRecordOptions;
  readonly #timer: NodeJS.Timeout;
  #writing: Promise<void> | undefined;

  constructor(options: ProcessRecordOptions) {
    this.#options = options;
    this.#timer = setTimeout(() => {
      this.#writing = this.#write();
    }, RECORDED_AFTER_MS);
  }

  async #write(): Promise<void> {
    const { records, marker, pid, report } = this.#options;
    try {
      await records.noteProcess({ marker, pid, startTime: await readIdentity(pid) });
    } catch (error) {
      report(error);
    }
  }

  /** The main process has exited. Its group is recorded if it has members: they may have cleared their variables. */
  onMainExit(hasMembers: boolean): void {
    clearTimeout(this.#timer);
    if (hasMembers) this.#writing ??= this.#write();
  }

  /** The record stays in the store; resolves when nothing is written any more. */
  async keep(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#writing;
  }

  /** Waits for the write first; otherwise the record could be written after its removal. */
  async remove(): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#writing === undefined) return;
    const { records, marker, report } = this.#options;
    await this.#writing;
    try {
      await records.forgetProcess(marker);
    } catch (error) {
      report(error);
    }
  }
}
