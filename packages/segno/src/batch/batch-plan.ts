// The checked configuration of a batch, with defaults. Every problem is reported before an item is pulled or a chunk is
// started.

import { Engine, invalidOption, unknownOption } from "@segno/engine";
import { closest, SegnoError, type Definition } from "@segno/kernel";
import { describeValue } from "@segno/kernel/describe-value";
import type { Aggregate, BatchConfig, Process } from "./batch-config.ts";
import type { ChunkPolicy } from "./chunker.ts";
import { parseMilliseconds, chunkDefinition } from "./chunk-workflow.ts";
import { toTolerance, type FailureTolerance } from "./batch-counters.ts";

export interface BatchPlan {
  readonly engine: Engine | undefined;
  readonly file: string | undefined;
  readonly id: string | undefined;
  readonly chunkPolicy: ChunkPolicy;
  readonly isSingle: boolean;
  readonly concurrency: number;
  /** The maximum number of chunks that run or wait to be read. */
  readonly bufferSize: number;
  readonly ordered: boolean;
  readonly definition: Definition;
  readonly totalTimeoutMs: number | undefined;
  readonly tolerance: FailureTolerance;
  readonly retryFailed: boolean;
  readonly signal: AbortSignal | undefined;
  readonly aggregate: Aggregate<never, unknown> | undefined;
  readonly process: Process<never, unknown>;
}

type AnyConfig = BatchConfig<never, unknown, unknown>;

const SIZE_MAX = 1_000_000;
const CONCURRENCY_MAX = 10_000;
/** A window limited only by time must still fit into memory. */
const WINDOW_MAX = 10_000;
const GATHERED_BUFFER = 1000;
const ID = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/u;

const SHARED = [
  "mode",
  "engine",
  "file",
  "id",
  "concurrency",
  "retry",
  "timeout",
  "totalTimeout",
  "grace",
  "tolerance",
  "retryFailed",
  "signal",
  "aggregate",
  "process",
];
const OWN: Readonly<Record<string, readonly string[]>> = {
  chunked: ["size"],
  windowed: ["count", "time"],
  streaming: ["size", "time", "ordered", "buffer"],
};

export function batchPlan(given: unknown): BatchPlan {
  const config = checkedKeys(given);
  const { engine, file, id, process, retry, timeout, grace, totalTimeout, signal } = config;
  checkPlace(config);
  if (typeof process !== "function") throw invalidOption("process", "a function", process);
  const concurrency = wholeNumber("concurrency", config.concurrency ?? 1, 1, CONCURRENCY_MAX);
  return {
    engine,
    file,
    id,
    chunkPolicy: toChunkPolicy(config),
    isSingle: config.mode === "streaming" && config.size === undefined,
    concurrency,
    bufferSize: concurrency + bufferSize(config, concurrency),
    ordered: flag("ordered", config.mode === "streaming" ? config.ordered : undefined) ?? true,
    definition: chunkDefinition({ retry, timeout, grace }),
    totalTimeoutMs: totalTimeout === undefined ? undefined : parseMilliseconds("totalTimeout", totalTimeout),
    tolerance: toTolerance(config.tolerance ?? 0),
    retryFailed: flag("retryFailed", config.retryFailed) ?? false,
    signal: checkedSignal(signal),
    aggregate: checkedAggregate(config.aggregate),
    process,
  };
}

function checkedKeys(given: unknown): AnyConfig {
  if (typeof given !== "object" || given === null) throw invalidOption("config", "an object", given);
  const config = given as AnyConfig;
  const own = Object.hasOwn(OWN, config.mode ?? "") ? OWN[config.mode] : undefined;
  if (own === undefined) throw unknownMode(config.mode);
  const known = [...SHARED, ...own];
  for (const key of Object.keys(config))
    if (!known.includes(key)) throw unknownOption(`a ${config.mode} batch`, key, known);
  return config;
}

function unknownMode(mode: unknown): SegnoError {
  const near = typeof mode === "string" ? closest(mode, Object.keys(OWN)) : undefined;
  const hint = near === undefined ? "" : `; did you mean "${near}"?`;
  return new SegnoError(
    "OPTION_INVALID",
    `\`mode\` must be "chunked", "windowed" or "streaming", not ${describeValue(mode)}${hint}`,
  );
}

function checkPlace({ engine, file, id }: AnyConfig): void {
  if (engine !== undefined && !(engine instanceof Engine)) throw invalidOption("engine", "an open engine", engine);
  if (file !== undefined && (typeof file !== "string" || file === "")) throw invalidOption("file", "a path", file);
  if (engine !== undefined && file !== undefined)
    throw new SegnoError("OPTION_INVALID", "give either `engine` or `file`, not both");
  const isNamed = typeof id === "string" && ID.test(id);
  if (id !== undefined && !isNamed) throw invalidOption("id", "1 to 128 letters, digits, `_`, `.` and `-`", id);
  if (file !== undefined && id === undefined)
    throw new SegnoError(
      "OPTION_INVALID",
      "a batch with `file` needs an `id`, with which the next process continues it",
    );
}

function toChunkPolicy(config: AnyConfig): ChunkPolicy {
  if (config.mode === "chunked") return { count: wholeNumber("size", config.size, 1, SIZE_MAX), timeMs: undefined };
  const time = config.time === undefined ? undefined : parseMilliseconds("time", config.time);
  if (config.mode === "windowed") return { count: windowCount(config.count, time), timeMs: time };
  if (config.size === undefined && time !== undefined)
    throw new SegnoError("OPTION_INVALID", "a stream with `time` also needs `size`: a window ends at either limit");
  return { count: wholeNumber("size", config.size ?? 1, 1, SIZE_MAX), timeMs: time };
}

function windowCount(count: unknown, time: number | undefined): number {
  if (count !== undefined) return wholeNumber("count", count, 1, SIZE_MAX);
  if (time !== undefined) return WINDOW_MAX;
  throw new SegnoError("OPTION_INVALID", "a windowed batch needs `count`, `time` or both");
}

/** Aggregated outcomes are small, so many may wait for a slow earlier one without blocking the others. */
function bufferSize(config: AnyConfig, concurrency: number): number {
  if (config.mode !== "streaming") return GATHERED_BUFFER;
  return config.buffer === undefined ? concurrency : wholeNumber("buffer", config.buffer, 0, SIZE_MAX);
}

function checkedSignal(signal: unknown): AbortSignal | undefined {
  if (signal === undefined || signal instanceof AbortSignal) return signal;
  throw invalidOption("signal", "an AbortSignal", signal);
}

function checkedAggregate(aggregate: Aggregate<never, unknown> | undefined): Aggregate<never, unknown> | undefined {
  if (aggregate === undefined || typeof aggregate?.reduce === "function") return aggregate;
  throw invalidOption("aggregate", "an object with `initial` and `reduce`", aggregate);
}

function flag(option: string, value: unknown): boolean | undefined {
  if (value === undefined || typeof value === "boolean") return value;
  throw invalidOption(option, "true or false", value);
}

function wholeNumber(option: string, value: unknown, min: number, max: number): number {
  if (Number.isInteger(value) && (value as number) >= min && (value as number) <= max) return value as number;
  throw invalidOption(option, `a whole number from ${min} to ${max}`, value);
}
