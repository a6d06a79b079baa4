// Tasks in memory, for tests.

import { RecordedBackend, type RecordedBackendOptions, type TaskChange } from "./recorded-backend.ts";
import { TaskList } from "./task-list.ts";

/** Keeps tasks in memory, for tests. */
export class MemoryTaskBackend extends RecordedBackend {
  constructor(options: RecordedBackendOptions = {}) {
    const list = new TaskList();
    const kept = {
      async change<Result>(_taskId: string, work: (current: TaskList) => TaskChange<Result>): Promise<Result> {
        const { records, result } = work(list);
        for (const record of records) list.apply(record);
        return result();
      },
      read: async () => list,
    };
    super(kept, options);
  }
}
