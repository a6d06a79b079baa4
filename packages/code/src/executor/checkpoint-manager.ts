// Checkpoints: the whole journal of a workflow in a folder, with a summary. A checkpoint can be restored into another
// engine, which goes on from there (JOURNAL-7).
//
//   CP1. A checkpoint is written under another name and renamed when it is complete, so a half-written one is never found.

import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { CodeError } from "../errors/code-error.ts";

/** An executor as checkpoints see it. */
export interface CheckpointSource {
  /** The workflow that was started last. */
  readonly currentWorkflow: string | undefined;
  progressOf(workflowId: string): Promise<WorkflowProgress>;
  exportWorkflow(workflowId: string): Promise<AsyncIterable<string>>;
  importWorkflow(lines: AsyncIterable<string>): Promise<string>;
}

/** The tasks of a workflow that are done, and the sessions that are at work. */
export interface WorkflowProgress {
  readonly completedTasks: readonly string[];
  /** The ids of the sessions that are at work. */
  readonly activeSessions: readonly string[];
}

/** The content of a checkpoint. */
export interface ExecutorState extends WorkflowProgress {
  readonly workflowId: string;
  readonly timestamp: number;
}

const CHECKPOINTS = ".segno/checkpoints";
const STATE = "state.json";
const JOURNAL = "journal.jsonl";

/** Saves the whole journal of a workflow to a folder, and restores it into an executor. */
export class CheckpointManager {
  readonly #folder: string;

  constructor(folder: string = CHECKPOINTS) {
    this.#folder = folder;
  }

  /** Returns the id of the checkpoint. */
  async saveCheckpoint(
    executor: CheckpointSource,
    workflowId: string | undefined = executor.currentWorkflow,
  ): Promise<string> {
    if (workflowId === undefined) throw new CodeError("CHECKPOINT_MISSING", "the executor has started no workflow");
    const timestamp = Date.now();
    const state: ExecutorState = { workflowId, ...(await executor.progressOf(workflowId)), timestamp };
    await mkdir(this.#folder, { recursive: true });
    const id = await this.#freeId(timestamp);
    const half = join(this.#folder, `.${id}`);
    await mkdir(half);
    const lines = Readable.from(withNewlines(await executor.exportWorkflow(workflowId)));
    await pipeline(lines, createWriteStream(join(half, JOURNAL), { mode: 0o600, flush: true }));
    await writeFile(join(half, STATE), `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600, flush: true });
    await rename(half, join(this.#folder, id));
    return id;
  }

  /** Reads a checkpoint. With an executor, its engine imports the workflow and goes on with it. */
  async restoreCheckpoint(checkpointId: string, executor?: CheckpointSource): Promise<ExecutorState> {
    if (!ID.test(checkpointId)) throw missing(checkpointId);
    const folder = join(this.#folder, checkpointId);
    const text = await readFile(join(folder, STATE), "utf8").catch((error: unknown) => {
      throw missing(checkpointId, error);
    });
    if (executor !== undefined)
      await executor.importWorkflow(createInterface({ input: createReadStream(join(folder, JOURNAL)) }));
    return JSON.parse(text) as ExecutorState;
  }

  /** Two checkpoints may be saved in the same millisecond. */
  async #freeId(timestamp: number): Promise<string> {
    const names = new Set(await readdir(this.#folder));
    for (let n = 1; ; n++) {
      const id = n === 1 ? `checkpoint-${timestamp}` : `checkpoint-${timestamp}-${n}`;
      if (!names.has(id) && !names.has(`.${id}`)) return id;
    }
  }
}

const ID = /^checkpoint-\d+(?:-\d+)?$/u;

async function* withNewlines(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield line.endsWith("\n") ? line : `${line}\n`;
}

function missing(checkpointId: string, cause?: unknown): CodeError {
  return new CodeError("CHECKPOINT_MISSING", `there is no checkpoint \`${checkpointId}\``, cause);
}
