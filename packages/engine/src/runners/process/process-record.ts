// The note of one process in the store's table.
//
// A note costs the store two writes, and is of use only when this process dies before the command does. A command that
// lasts a moment is therefore not noted at all: its marker follows from the journal, and is what it would be found by.

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

  constructor(noted: RecordedProcess) {
    this.#recorded = noted;
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

  /** The process has exited: a note that is not yet written would be of nobody. */
  skip(): void {
    clearTimeout(this.#timer);
  }

  /** In this order: a note that is still on its way would otherwise come after it was taken back. */
  async remove(): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#writing === undefined) return;
    await this.#writing;
    await this.#recorded.table.forgetProcess(this.#recorded.marker).catch(this.#recorded.report);
  }
}
