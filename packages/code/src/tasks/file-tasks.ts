// Tasks in a file of JSON lines, one record a line, for people who keep their tasks beside their code.
//
//   F1. Records are appended and synced under a lock (`file-lock.ts`), so a claim is atomic across processes.
//   F2. A process that is killed while it writes leaves half a line at the end. The next writer cuts it off: the change
//       was never acknowledged.
//   F3. Any other line that cannot be read is an error with its number; nothing is skipped.

import { mkdir, open, readFile, truncate } from "node:fs/promises";
import { dirname } from "node:path";
import { CodeError } from "../errors/code-error.ts";
import { withFileLock } from "../git/file-lock.ts";
import { RecordedBackend, type RecordedBackendOptions, type TaskChange, type TaskRecords } from "./recorded-backend.ts";
import { TaskList } from "./task-list.ts";
import { isTaskRecord, type TaskRecord } from "./task-record.ts";

export const TASK_FILE = ".segno/tasks.jsonl";

/** Keeps tasks in a file of JSON lines, which several processes can use. */
export class FileTaskBackend extends RecordedBackend {
  constructor(file: string = TASK_FILE, options: RecordedBackendOptions = {}) {
    super(new RecordFile(file), options);
  }
}

class RecordFile implements TaskRecords {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  async change<Result>(_taskId: string, work: (list: TaskList) => TaskChange<Result>): Promise<Result> {
    await mkdir(dirname(this.#file), { recursive: true });
    return await withFileLock(`${this.#file}.lock`, async () => {
      const { list, wholeBytes } = await this.#load();
      const { records, result } = work(list);
      await this.#append(records, wholeBytes);
      for (const record of records) list.apply(record);
      return result();
    });
  }

  async read(): Promise<TaskList> {
    return (await this.#load()).list;
  }

  async #load(): Promise<{ readonly list: TaskList; readonly wholeBytes: number }> {
    const bytes = await readFile(this.#file).catch(emptyIfMissing);
    const wholeBytes = bytes.lastIndexOf(0x0a) + 1;
    const list = new TaskList();
    const lines = bytes.subarray(0, wholeBytes).toString("utf8").split("\n").slice(0, -1);
    lines.forEach((line, index) => list.apply(this.#parse(line, index + 1)));
    return { list, wholeBytes };
  }

  #parse(line: string, number: number): TaskRecord {
    const record = parseJson(line);
    if (isTaskRecord(record)) return record;
    throw new CodeError("TASK_FILE_INVALID", `line ${number} of ${this.#file} is not a record of a task`);
  }

  async #append(records: readonly TaskRecord[], wholeBytes: number): Promise<void> {
    if (records.length === 0) return;
    const file = await open(this.#file, "a", 0o600);
    try {
      if ((await file.stat()).size > wholeBytes) await truncate(this.#file, wholeBytes);
      await file.appendFile(records.map((record) => `${JSON.stringify(record)}\n`).join(""));
      await file.datasync();
    } finally {
      await file.close();
    }
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function emptyIfMissing(error: NodeJS.ErrnoException): Buffer {
  if (error.code === "ENOENT") return Buffer.alloc(0);
  throw error;
}
