// The record of one process in the store's process table.
//
// A record costs two writes, and is useful only if this process dies before the command. So a short command is not
// recorded at all; its marker follows from the journal and is enough to find it.

import type { ProcessTable } from "../../store/process-table.ts";
import { readStartTime } from "./start-time.ts";

export interface RecordedProcess {
  readonly table: ProcessTable;
  readonly marker: string;
  readonly pid: number;
  readonly report: (error: unknown) => void;
}

const RECORDED_AFTER_MS = 50;

export class ProcessRecord {
  readonly #recorded: RecordedProcess;
  readonly #timer: NodeJS.Timeout;
  #writing: Promise<void> | undefined;

  constructor(recorded: RecordedProcess) {
    this.#recorded = recorded;
    this.#timer = setTimeout(() => {
      this.#writing = this.#write();
    }, RECORDED_AFTER_MS);
  }

  async #write(): Promise<void> {
    const { table, marker, pid, report } = this.#recorded;
    try {
      await table.noteProcess({ marker, pid, startTime: await readStartTime(pid) });
    } catch (error) {
      report(error);
    }
  }

  /** The process has exited: a record that is not written yet is not needed. */
  skip(): void {
    clearTimeout(this.#timer);
  }

  /** Waits for the write first; otherwise the record could be written after its removal. */
  async remove(): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#writing === undefined) return;
    await this.#writing;
    await this.#recorded.table.forgetProcess(this.#recorded.marker).catch(this.#recorded.report);
  }
}
