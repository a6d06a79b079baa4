// Process records without a store.

import type { ProcessEntry, ProcessRecords } from "../../src/store/process-records.ts";

export class MemoryRecords implements ProcessRecords {
  readonly entries = new Map<string, ProcessEntry>();
  readonly noted = Promise.withResolvers<ProcessEntry>();
  readonly forgotten = Promise.withResolvers<string>();

  async noteProcess(entry: ProcessEntry): Promise<void> {
    this.entries.set(entry.marker, entry);
    this.noted.resolve(entry);
  }

  async forgetProcess(marker: string): Promise<void> {
    this.entries.delete(marker);
    this.forgotten.resolve(marker);
  }

  async processes(): Promise<readonly ProcessEntry[]> {
    return [...this.entries.values()];
  }
}
