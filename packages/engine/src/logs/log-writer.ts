// The log writer: collects the lines of all attempts, notifies subscribers in this process at once, and writes to the
// store in batches.
//
// Splitting (`line-splitter.ts`) and masking (`attempt-log.ts`) happen before.
//
//   B1. A line is in the store about 100 ms after it was written, sooner if many lines wait. All waiting lines are
//       written together, one batch at a time. Lines of an execution stay in order.
//   B2. The size of waiting and in-flight lines is limited. A line that does not fit is dropped, and so are all further
//       lines of its attempt until there is room again; then a mark states how much was lost.
//   B3. A store that cannot take logs affects nothing else: the lines are dropped, the fault is reported once until the
//       store works again, and then a mark replaces the lines. Nothing is written twice.
//   B4. Subscribers see every line, including those that the store could not take. An error of a subscriber is only
//       reported.

import type { ExecutionId } from "@segno/kernel";
import type { SystemPorts } from "../clock/system-ports.ts";
import type { AttemptName, LogLine, NewLogs, StepLogs } from "../store/step-logs.ts";
import type { StreamMasker } from "../secrets/stream-masker.ts";
import { AttemptLog, type AttemptLimits, type AttemptLogPorts, type StreamChunk } from "./attempt-log.ts";
import { ExecutionListeners } from "./execution-listeners.ts";
import { LostLines } from "./lost-lines.ts";

export type { AttemptLog, StreamChunk } from "./attempt-log.ts";

export interface LogWriterPorts {
  /** Undefined for a store without logs. */
  readonly store: Pick<StepLogs, "appendLogs"> | undefined;
  /** A mask for each stream of each attempt, and one for lines. */
  readonly mask: { stream(): StreamMasker };
  readonly limits?: Partial<LogLimits>;
  readonly environment: Pick<SystemPorts, "now">;
  /** Calls back once after a delay, or never if the engine closes first. */
  readonly later: (ms: number, call: () => void) => void;
  readonly report: (error: unknown) => void;
}

export interface LogLimits extends AttemptLimits {
  /** The limit of waiting text in memory. */
  readonly waitingMax: number;
}

/** Called with the lines that steps of an execution write. */
export type LogListener = (execution: ExecutionId, lines: readonly LogLine[]) => void;

/** Called with each part of a stream that a step of an execution writes. */
export type StreamListener = (execution: ExecutionId, chunk: StreamChunk) => void;

const LIMITS: LogLimits = {
  lineBytesMax: 16 * 1024,
  attemptBytesMax: 50 * 1024 * 1024,
  attemptLinesMax: 1_000_000,
  waitingMax: 4 * 1024 * 1024,
};

const WRITE_AFTER_MS = 100;
/** From this size on, a write starts as soon as the current work is done. */
const WRITE_AT_SIZE = 64 * 1024;
/** From this size on, a write starts at once: output this fast would soon reach the limit. */
const WRITE_NOW_SIZE = 1024 * 1024;
/** A locked store may block its caller for seconds, so retries are rare. */
const RETRY_AFTER_MS = 5000;
/** The approximate memory of a line without its text. */
const LINE_SIZE = 100;

export class LogWriter {
  readonly #ports: LogWriterPorts;
  readonly #limits: LogLimits;
  readonly #attemptPorts: AttemptLogPorts;
  readonly #listeners: ExecutionListeners<readonly LogLine[]>;
  readonly #streamListeners: ExecutionListeners<StreamChunk>;
  readonly #lost = new LostLines();
  readonly #timers = new Set<"soon" | "later">();
  #waiting = new Map<ExecutionId, LogLine[]>();
  #waitingSize = 0;
  #writingSize = 0;
  #writing: Promise<void> | undefined;
  #isFailing = false;

  constructor(ports: LogWriterPorts) {
    this.#ports = ports;
    this.#limits = { ...LIMITS, ...ports.limits };
    this.#listeners = new ExecutionListeners(ports.report);
    this.#streamListeners = new ExecutionListeners(ports.report);
    this.#attemptPorts = {
      limits: this.#limits,
      mask: () => ports.mask.stream(),
      now: () => ports.environment.now(),
      take: (execution, lines) => this.#take(execution, lines),
      onChunk: (execution) => this.#chunkListener(execution),
    };
  }

  open(attempt: AttemptName): AttemptLog {
    return new AttemptLog(attempt, this.#attemptPorts);
  }

  /**
   * Calls the listener for each line when it is written, before the store has it. Returns a function that unsubscribes.
   */
  subscribe({ execution }: { readonly execution?: string }, listener: LogListener): () => void {
    return this.#listeners.add(execution, listener);
  }

  /** Calls the listener for each part of a stream when it is written. Returns a function that unsubscribes. */
  subscribeStreams({ execution }: { readonly execution?: string }, listener: StreamListener): () => void {
    return this.#streamListeners.add(execution, listener);
  }

  #chunkListener(execution: ExecutionId): ((chunk: StreamChunk) => void) | undefined {
    if (!this.#streamListeners.has(execution)) return undefined;
    return (chunk) => this.#streamListeners.tell(execution, chunk);
  }

  /** Resolves when all waiting lines are in the store or were dropped. Never rejects. */
  async flush(): Promise<void> {
    do await this.#write();
    while (this.#isWaiting && !this.#isFailing);
  }

  get #isWaiting(): boolean {
    return this.#waiting.size > 0 || this.#lost.size > 0;
  }

  #take(execution: ExecutionId, lines: readonly LogLine[]): void {
    this.#listeners.tell(execution, lines);
    if (this.#ports.store === undefined) return;
    for (const line of lines) this.#keep(execution, line);
    this.#arm();
  }

  #keep(execution: ExecutionId, line: LogLine): void {
    const isRoom = this.#waitingSize + this.#writingSize + lineSize(line) <= this.#limits.waitingMax;
    if (!isRoom || this.#lost.has(execution, line)) return this.#lost.add(execution, line);
    this.#queue(execution, line);
  }

  #queue(execution: ExecutionId, line: LogLine): void {
    this.#waitingSize += lineSize(line);
    const lines = this.#waiting.get(execution);
    if (lines === undefined) this.#waiting.set(execution, [line]);
    else lines.push(line);
  }

  /** During a write, or while the store fails, the next write is already scheduled. */
  #arm(): void {
    if (!this.#isWaiting || this.#writing !== undefined) return;
    if (this.#isFailing) return this.#set("later", RETRY_AFTER_MS);
    if (this.#waitingSize >= WRITE_NOW_SIZE) void this.#write();
    else if (this.#waitingSize >= WRITE_AT_SIZE) this.#set("soon", 0);
    else this.#set("later", WRITE_AFTER_MS);
  }

  #set(timer: "soon" | "later", ms: number): void {
    if (this.#timers.has(timer)) return;
    this.#timers.add(timer);
    this.#ports.later(ms, () => {
      this.#timers.delete(timer);
      void this.#write();
    });
  }

  #write(): Promise<void> {
    if (this.#writing !== undefined) return this.#writing;
    if (!this.#isWaiting) return Promise.resolve();
    this.#writing = this.#append(this.#takeAll()).finally(() => {
      this.#writing = undefined;
      this.#writingSize = 0;
      this.#arm();
    });
    return this.#writing;
  }

  /** Marks for lines that did not fit come last: their attempts have kept no line since (B2). */
  #takeAll(): NewLogs[] {
    this.#queueMarks(this.#lost);
    const logs = Array.from(this.#waiting, ([execution, lines]) => ({ execution, lines }));
    this.#waiting = new Map();
    this.#writingSize = this.#waitingSize;
    this.#waitingSize = 0;
    return logs;
  }

  async #append(logs: readonly NewLogs[]): Promise<void> {
    try {
      await this.#ports.store?.appendLogs(logs);
      this.#isFailing = false;
    } catch (error) {
      this.#giveUp(logs);
      if (!this.#isFailing) this.#ports.report(error);
      this.#isFailing = true;
    }
  }

  /** Marks for lines of the failed batch come first: the waiting lines are newer. */
  #giveUp(logs: readonly NewLogs[]): void {
    const lostLines = new LostLines();
    for (const { execution, lines } of logs) for (const line of lines) lostLines.add(execution, line);
    const waiting = this.#waiting;
    this.#waiting = new Map();
    this.#waitingSize = 0;
    this.#queueMarks(lostLines);
    for (const [execution, lines] of waiting) for (const line of lines) this.#queue(execution, line);
  }

  #queueMarks(lostLines: LostLines): void {
    const now = this.#ports.environment.now();
    for (const { execution, mark } of lostLines.takeAll(now)) this.#queue(execution, mark);
  }
}

function lineSize({ text }: LogLine): number {
  return text.length + LINE_SIZE;
}
