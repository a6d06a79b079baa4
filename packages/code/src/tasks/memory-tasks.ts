// Tasks in memory, for tests.

import { RecordedBackend, type TaskChange } from "./recorded-backend.ts";
import { TaskList } from "./task-list.ts";

export class MemoryTaskBackend extends RecordedBackend {
  constructor() {
    const list = new TaskList();
    super({
      async change<Result>(work: (current: TaskList) => TaskChange<Result>): Promise<Result> {
        const { records, result } = work(list);
        for (const record of records) list.apply(record);
        return result();
      },
      read: async () => list,
    });
  }
}
