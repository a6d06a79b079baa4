// A running batch: connects its parts, and ends it.
//
//   B1. Work runs as executions of the one engine, with its scheduler, retries and journal.
//   B2. Nothing is opened, pulled or started before the first outcome is requested.
//   B3. A batch ends early for one of five reasons, and the first one counts. If too many items fail, and after a
//       fault, running chunks finish. After its signal, its time limit, or when the reader stops, running chunks are
//       cancelled.
//   B4. A batch has ended when all started chunks have ended, the source was closed, and its own engine was closed.
//   B5. The result of a batch is a value. A fault that stops it is a `BatchError`, which contains the progress so far.
//   B6. At most one batch of an id runs in an engine.

import { randomUUID } from "node:crypto";
import { Engine } from "@segno/engine";
import { SegnoError, type Failure } from "@segno/kernel";
import type { BatchPlan } from "./batch-plan.ts";
import { BatchError, type BatchOutcome, type BatchResult, type BatchStatus } from "./batch-result.ts";
import { ItemSource } from "./item-source.ts";
import { BoundedPipeline } from "./bounded-pipeline.ts";
import { Chunker } from "./chunker.ts";
import { ChunkRunner } from "./chunk-runner.ts";
import { activeBatches, chunkWorkflow } from "./chunk-workflow.ts";
import { BatchCounters } from "./batch-counters.ts";

type ChunkOutcome = BatchOutcome<unknown>;

/** The parts that exist while the batch runs. */
interface RunningParts {
  readonly engine: Engine;
  readonly pipeline: BoundedPipeline<unknown, ChunkOutcome>;
  readonly runner: ChunkRunner<unknown>;
}

export class Batch {
  readonly #plan: BatchPlan;
  readonly #id: string;
  readonly #source: ItemSource<unknown>;
  readonly #counters: BatchCounters;
  /** How to stop each alarm that was set. */
  readonly #alarms = new Map<string, () => void>();
  readonly #end: PromiseWithResolvers<BatchResult<unknown, unknown>> = Promise.withResolvers();
  readonly #abort = (): void => this.#stopNow("cancelled", "the batch was cancelled");
  #parts: RunningParts | undefined;
  #status: BatchStatus | undefined;
  #failure: Failure | undefined;
  #isOver = false;

  constructor(items: unknown, plan: BatchPlan, keepsResults: boolean) {
    this.#plan = plan;
    this.#id = plan.id ?? randomUUID();
    this.#source = new ItemSource(items);
    this.#counters = new BatchCounters({ ...plan, length: this.#source.length, keepsResults });
    // A reader of the stream gets the error from the stream as well.
    this.#end.promise.catch(() => undefined);
  }

  /** The result, available when the batch has ended. */
  get result(): Promise<BatchResult<unknown, unknown>> {
    return this.#end.promise;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** The next outcome; undefined when the batch has ended. One call at a time. */
  async next(): Promise<ChunkOutcome | undefined> {
    if (this.#isOver) return undefined;
    try {
      const outcome = await this.#count();
      if (outcome === undefined) await this.#finish();
      return outcome;
    } catch (error) {
      await this.#drain();
      throw await this.#abandon(error);
    }
  }

  /** Called when the reader wants no more outcomes. */
  stop(): void {
    this.#stopNow("stopped", "the program stopped reading its outcomes");
  }

  async #count(): Promise<ChunkOutcome | undefined> {
    this.#parts ??= await this.#begin();
    const outcome = await this.#parts?.pipeline.next();
    if (outcome === undefined) return undefined;
    this.#counters.count(outcome);
    const failure = this.#counters.failure(false);
    if (failure !== undefined) this.#endEarly("failed", failure);
    await this.#counters.gather(outcome);
    return outcome;
  }

  /** Undefined if the batch ended before it began. */
  async #begin(): Promise<RunningParts | undefined> {
    const { signal } = this.#plan;
    if (signal?.aborted === true) this.#status ??= "cancelled";
    if (this.#status !== undefined) return undefined;
    const engine = this.#plan.engine ?? (await openEngine(this.#plan));
    try {
      const machinery = this.#assemble(engine);
      signal?.addEventListener("abort", this.#abort, { once: true });
      if (signal?.aborted === true) this.#abort();
      if (this.#status !== undefined) machinery.pipeline.stop();
      return machinery;
    } catch (error) {
      await this.#closeEngine(engine);
      throw error;
    }
  }

  #assemble(engine: Engine): RunningParts {
    const { id, definition, totalTimeoutMs, chunkPolicy } = this.#plan;
    if (!engine.isOwner)
      throw new SegnoError("ENGINE_NOT_OWNER", "a batch must run in the process that owns the store");
    const host = activeBatches(engine);
    if (host.has(this.#id))
      throw new SegnoError("BATCH_UNDER_WAY", `the batch ${this.#id} is already running in this engine`);
    const workflow = chunkWorkflow(engine, definition, id);
    const isDurable = this.#plan.engine !== undefined || this.#plan.file !== undefined;
    const inOrder = id !== undefined && chunkPolicy.timeMs !== undefined;
    const runner = new ChunkRunner<unknown>(engine, { ...this.#plan, id: this.#id, workflow, isDurable, inOrder });
    host.set(this.#id, (input, step) => runner.work(input, step));
    const pipeline = this.#openPipeline(engine, runner, inOrder);
    // From here on, chunks that an earlier process left unfinished continue.
    engine.register(workflow);
    if (totalTimeoutMs !== undefined) this.#alarm(engine, "end", totalTimeoutMs, () => this.#timeOver(totalTimeoutMs));
    return { engine, pipeline, runner };
  }

  #openPipeline(
    engine: Engine,
    runner: ChunkRunner<unknown>,
    inOrder: boolean,
  ): BoundedPipeline<unknown, ChunkOutcome> {
    const chunker = new Chunker(this.#source, this.#plan.chunkPolicy, {
      alarm: (ms, ring) => this.#alarm(engine, "window", ms, ring),
      recordedCount: async (chunk) => (inOrder ? runner.recordedCount(chunk) : undefined),
    });
    const { concurrency, bufferSize, ordered } = this.#plan;
    return new BoundedPipeline({
      concurrency,
      bufferSize,
      ordered,
      next: () => chunker.next(),
      run: (chunk) => runner.run(chunk),
    });
  }

  /** A timer of the engine. A new alarm replaces the one of the same name. */
  #alarm(engine: Engine, name: "window" | "end", ms: number, ring: () => void): void {
    this.#alarms.get(name)?.();
    this.#alarms.set(name, engine.extensions.after(ms, ring));
  }

  #timeOver(totalTimeoutMs: number): void {
    const message = `the batch took longer than ${totalTimeoutMs} ms`;
    this.#stopNow("failed", message, { class: "timeout", code: "BATCH_TIMEOUT", message });
  }

  #endEarly(status: BatchStatus, failure?: Failure): void {
    if (this.#status !== undefined) return;
    this.#status = status;
    this.#failure = failure;
    this.#parts?.pipeline.stop();
  }

  /** B3: cancels running chunks. */
  #stopNow(status: BatchStatus, reason: string, failure?: Failure): void {
    if (this.#isOver) return;
    this.#endEarly(status, failure);
    this.#parts?.runner.cancel(reason);
  }

  /** After a fault: waits for running chunks, and counts them. */
  async #drain(): Promise<void> {
    const { pipeline } = this.#parts ?? {};
    pipeline?.stop();
    for (let isEmpty = pipeline === undefined; !isEmpty;) {
      const outcome = await pipeline!.next().catch(() => undefined);
      if (outcome === undefined) isEmpty = true;
      else this.#counters.count(outcome);
    }
  }

  async #finish(): Promise<void> {
    await this.#detach();
    this.#failure ??= this.#status === undefined ? this.#counters.failure(true) : undefined;
    const status = this.#status ?? (this.#failure === undefined ? "completed" : "failed");
    this.#isOver = true;
    this.#end.resolve(this.#counters.result(this.#id, status, this.#failure));
  }

  /** B5. An error that is not a known fault is a bug and stays as it is. */
  async #abandon(error: unknown): Promise<unknown> {
    await this.#detach().catch(() => undefined);
    this.#isOver = true;
    const result = this.#counters.result(this.#id, "failed", undefined);
    const told =
      error instanceof SegnoError
        ? new BatchError(error.code, `the batch ${this.#id} cannot continue: ${error.message}`, result, error)
        : error;
    this.#end.reject(told);
    return told;
  }

  /** B4. */
  async #detach(): Promise<void> {
    this.#plan.signal?.removeEventListener("abort", this.#abort);
    const { engine } = this.#parts ?? {};
    try {
      await this.#source.close();
    } finally {
      if (engine !== undefined) await this.#closeEngine(engine, this.#parts);
    }
  }

  async #closeEngine(engine: Engine, machinery?: RunningParts): Promise<void> {
    if (machinery !== undefined) {
      activeBatches(engine).delete(this.#id);
      for (const stop of this.#alarms.values()) stop();
    }
    if (this.#plan.engine === undefined) await engine.close();
  }
}

/** The batch's own engine runs nothing but its chunks. */
function openEngine({ file, concurrency }: BatchPlan): Promise<Engine> {
  const limits = { slots: concurrency };
  return file === undefined ? Engine.open({ store: "none", limits }) : Engine.open({ file, limits });
}
