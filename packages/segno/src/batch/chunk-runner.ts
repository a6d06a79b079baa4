// The chunk runner: each chunk is one execution of the engine, which retries, times out, journals and recovers it.
//
//   P1. Chunk n of the batch b is the execution `b/n`. An existing execution is joined, and its result is not computed
//       again.
//   P2. An existing execution must have the same items, or the batch is refused (BATCH_CHANGED): results of two sources
//       are never mixed. Items are compared by the hash of their canonical JSON.
//   P3. A cancelled chunk runs again, as `b/n~2` and so on. A failed chunk is retried on request.
//   P4. If the source determines the end of chunks (windows by time), chunks begin one after the other, so those in the
//       journal are the first ones, without a gap.
//   P5. Without a journal, items are not copied, and are released when their chunk ends.
//   P6. After `cancel` every started execution is cancelled, including one that is about to begin.

import { canonicalJson } from "@segno/contract";
import {
  copyJson,
  ExecutionError,
  hashJson,
  type BuiltWorkflow,
  type Engine,
  type ExecutionHandle,
  type StepContext,
} from "@segno/engine";
import { executionId, executionStatus, SegnoError, type Json, type State } from "@segno/kernel";
import { taskOutputs } from "../engines/task-outputs.ts";
import type { Process } from "./batch-config.ts";
import type { BatchOutcome } from "./batch-result.ts";
import type { Chunk } from "./chunker.ts";
import type { ChunkInput, ChunkOutput } from "./chunk-workflow.ts";

export interface ChunkRunnerOptions {
  readonly id: string;
  readonly workflow: BuiltWorkflow<ChunkInput, ChunkOutput>;
  readonly process: Process<never, unknown>;
  /** Whether `process` gets the single item of a chunk instead of a list. */
  readonly isSingle: boolean;
  /** Whether items are journaled. */
  readonly isDurable: boolean;
  readonly inOrder: boolean;
  readonly retryFailed: boolean;
}

type Handle = ExecutionHandle<ChunkOutput>;

export class ChunkRunner<Item> {
  readonly #engine: Engine;
  readonly #options: ChunkRunnerOptions;
  /** P5. */
  readonly #held = new Map<number, readonly Item[]>();
  readonly #running = new Set<Handle>();
  #begun: Promise<unknown> = Promise.resolve();
  #cancelled: string | undefined;

  constructor(engine: Engine, options: ChunkRunnerOptions) {
    this.#engine = engine;
    this.#options = options;
  }

  /** Rejects if the engine cannot run the chunk, which is not a failure of the chunk. */
  async run(chunk: Chunk<Item>): Promise<BatchOutcome<unknown>> {
    try {
      const handle = await this.#beginInOrder(chunk);
      this.#running.add(handle);
      if (this.#cancelled !== undefined) this.#cancelOne(handle, this.#cancelled);
      return await this.#awaitOutcome(chunk, handle).finally(() => this.#running.delete(handle));
    } finally {
      this.#held.delete(chunk.chunk);
    }
  }

  /** The work of the engine's step. */
  work(input: ChunkInput, step: StepContext): unknown {
    const { process, isSingle } = this.#options;
    const items = input.items ?? this.#held.get(input.chunk) ?? [];
    const context = {
      batchId: input.batch,
      chunk: input.chunk,
      index: input.index,
      attempt: step.attempt,
      step,
      get signal(): AbortSignal {
        return step.signal;
      },
    };
    return process((isSingle ? items[0] : items) as never, context);
  }

  cancel(reason: string): void {
    this.#cancelled ??= reason;
    for (const handle of this.#running) this.#cancelOne(handle, reason);
  }

  /** C4 of the chunker. */
  async recordedCount(chunk: number): Promise<number | undefined> {
    const engine = this.#engine;
    const state = await this.#readState(this.#chunkExecutionId(chunk, 1));
    if (state === undefined) return undefined;
    const { input } = await taskOutputs(engine, state);
    return (input as ChunkInput | null)?.items?.length;
  }

  #cancelOne(handle: Handle, reason: string): void {
    // A closed engine has already stopped it.
    handle.cancel({ reason }).catch(() => undefined);
  }

  /** P4. */
  #beginInOrder(chunk: Chunk<Item>): Promise<Handle> {
    if (!this.#options.inOrder) return this.#begin(chunk);
    const begun = this.#begun.then(() => this.#begin(chunk));
    this.#begun = begun.catch(() => undefined);
    return begun;
  }

  async #begin(chunk: Chunk<Item>): Promise<Handle> {
    const engine = this.#engine;
    const input = this.#toInput(chunk);
    for (let round = 1; ; round++) {
      const id = this.#chunkExecutionId(chunk.chunk, round);
      const started = await this.#start(id, input);
      if (started !== undefined) return started;
      const state = await this.#readState(id);
      if (state !== undefined) checkSame(id, state, input);
      // P3.
      if (state?.baseStatus === "cancelled") continue;
      const handle = (await engine.get(id)) as Handle;
      if (state !== undefined) await this.#wakeUp(handle, state);
      return handle;
    }
  }

  /**
   * A chunk that was lost too often is parked until a person resumes it (FAIL-9); executing the batch again resumes it.
   */
  async #wakeUp(handle: Handle, state: State): Promise<void> {
    if (this.#options.retryFailed && state.baseStatus === "failed") await handle.retry();
    if (executionStatus(state) === "parked") await handle.resume();
  }

  /** Undefined if the execution already exists. */
  async #start(id: string, input: ChunkInput): Promise<Handle | undefined> {
    const { workflow, id: correlationId } = this.#options;
    try {
      return await this.#engine.start(workflow, input, { id, correlationId });
    } catch (error) {
      if (error instanceof SegnoError && error.code === "EXECUTION_EXISTS") return undefined;
      throw error;
    }
  }

  #toInput({ chunk, index, items }: Chunk<Item>): ChunkInput {
    const { id: batch, isDurable } = this.#options;
    if (isDurable) return { batch, chunk, index, items: canonicalItems(index, items) };
    this.#held.set(chunk, items);
    return { batch, chunk, index };
  }

  #chunkExecutionId(chunk: number, round: number): string {
    return `${this.#options.id}/${chunk}${round === 1 ? "" : `~${round}`}`;
  }

  #readState(id: string): Promise<State | undefined> {
    return this.#engine.extensions.states.read(executionId(id));
  }

  async #awaitOutcome({ chunk, index, items }: Chunk<Item>, handle: Handle): Promise<BatchOutcome<unknown>> {
    const place = { chunk, index, count: items.length };
    try {
      const given = await handle.result();
      if ("skipped" in given) return { ...place, kind: "skipped", reason: given.skipped };
      return { ...place, kind: "succeeded", output: given.output };
    } catch (error) {
      if (!(error instanceof ExecutionError)) throw error;
      if (error.failure === undefined) return { ...place, kind: "cancelled" };
      return { ...place, kind: "failed", failure: error.failure, executionId: handle.id };
    }
  }
}

/** The same items give the same text, whatever the order of their keys (P2). */
function canonicalItems(index: number, items: readonly unknown[]): readonly Json[] {
  return items.map((item, place) => {
    try {
      return JSON.parse(canonicalJson(copyJson(`the item ${index + place}`, item))) as Json;
    } catch (error) {
      if (!(error instanceof SegnoError) || error.code !== "INPUT_INVALID") throw error;
      throw new SegnoError("BATCH_ITEM_INVALID", error.message, { cause: error });
    }
  });
}

/** P2. */
function checkSame(id: string, { created }: State, given: ChunkInput): void {
  const found = created?.input;
  const hash = found?.kind === "inline" ? hashJson(found.json) : found?.kind === "stored" ? found.hash : undefined;
  if (hash === hashJson(given)) return;
  const items = `the items ${given.index} to ${given.index + given.items!.length - 1}`;
  throw new SegnoError(
    "BATCH_CHANGED",
    `the execution ${id} exists with other items than ${items}; use the same source or another batch id`,
  );
}
