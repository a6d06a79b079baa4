// The log writer: what all attempts write, gathered and kept in the store.
//
// Job: telling those who look on in this process at once, and the store in batches.
// Not its job: what a line is (`line-splitter.ts`), and what of it may be seen (`attempt-log.ts` has it masked).
//
//   B1. A line is in the store some 100 ms after it was written, sooner when much is waiting; all that waits is written
//       together, and one batch at a time. Lines of an execution stay in their order.
//   B2. At most so much waits or is being written. What does not fit is dropped, and so is all that its attempt writes until
//       there is room again; then a mark says how much it was.
//   B3. A store that cannot take logs harms nothing else: the lines are dropped, it is reported once until it works again,
//       and a mark stands for them when it does. Nothing is written twice.
//   B4. Who looks on sees every line, also those that the store could not take. What it throws is reported and no more.

import { hearRejection } from "../checks/thenable.ts";
import type { ExecutionId } from "@segno/kernel";
import type { Environment } from "../clock/environment.ts";
import type { AttemptName, LogLine, NewLogs, StepLogs } from "../store/step-logs.ts";
import { AttemptLog, type AttemptLimits, type AttemptLogPorts, type LogMaskStream } from "./attempt-log.ts";
import { LostLines } from "./lost-lines.ts";
import { outsideOfSteps } from "../events/step-output.ts";

export type { AttemptLog } from "./attempt-log.ts";

export interface LogWriterPorts {
  /** A store that keeps no logs is done without. */
  readonly store: Pick<StepLogs, "appendLogs"> | undefined;
  /** A mask for each stream of each attempt, and one for lines. */
  readonly mask: { stream(): LogMaskStream; text(text: string): string };
  readonly limits?: Partial<LogLimits>;
  readonly environment: Pick<Environment, "now">;
  /** Calls back later, once, or never when all is over by then. */
  readonly later: (ms: number, call: () => void) => void;
  readonly report: (error: unknown) => void;
}

export interface LogLimits extends AttemptLimits {
  /** What may wait for the store, as text in memory. */
  readonly waitingMax: number;
}

export type LogListener = (execution: ExecutionId, lines: readonly LogLine[]) => void;

const LIMITS: LogLimits = {
  lineBytesMax: 16 * 1024,
  attemptBytesMax: 50 * 1024 * 1024,
  attemptLinesMax: 1_000_000,
  waitingMax: 4 * 1024 * 1024,
};

const WRITE_AFTER_MS = 100;
/** So much is worth a write as soon as what goes on now is over. */
const WRITE_AT_SIZE = 64 * 1024;
/** And so much is written at once: whoever writes that fast would fill what may wait before long. */
const WRITE_NOW_SIZE = 1024 * 1024;
/** A store that is locked may block whoever asks it for seconds, so it is not asked often. */
const RETRY_AFTER_MS = 5000;
/** What a line takes in memory beside its text, roughly. */
const LINE_SIZE = 100;

interface LogSubscription {
  readonly listener: LogListener;
}

export class LogWriter {
  readonly #ports: LogWriterPorts;
  readonly #limits: LogLimits;
  readonly #attemptPorts: AttemptLogPorts;
  readonly #listeners = new Set<LogSubscription>();
  /** Those who look on at one execution: they cost nothing while others write. */
  readonly #byExecution = new Map<string, Set<LogSubscription>>();
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
    this.#attemptPorts = {
      limits: this.#limits,
      mask: () => ports.mask.stream(),
      maskText: (text) => ports.mask.text(text),
      now: () => ports.environment.now(),
      take: (execution, lines) => this.#take(execution, lines),
    };
  }

  open(attempt: AttemptName): AttemptLog {
    return new AttemptLog(attempt, this.#attemptPorts);
  }

  /** Tells of lines when they are written, before the store has them. Gives back how to end it. */
  subscribe({ execution }: { readonly execution?: string }, listener: LogListener): () => void {
    const subscription = { listener };
    if (execution === undefined) {
      this.#listeners.add(subscription);
      return () => void this.#listeners.delete(subscription);
    }
    const those = this.#byExecution.get(execution) ?? new Set();
    this.#byExecution.set(execution, those.add(subscription));
    return () => {
      those.delete(subscription);
      if (those.size === 0 && this.#byExecution.get(execution) === those) this.#byExecution.delete(execution);
    };
  }

  /** Resolves when all that waits is in the store, or was given up. Never rejects. */
  async flush(): Promise<void> {
    do await this.#write();
    while (this.#isWaiting && !this.#isFailing);
  }

  get #isWaiting(): boolean {
    return this.#waiting.size > 0 || this.#lost.size > 0;
  }

  #take(execution: ExecutionId, lines: readonly LogLine[]): void {
    this.#tell(execution, lines);
    if (this.#ports.store === undefined) return;
    for (const line of lines) this.#keep(execution, line);
    this.#arm();
  }

  #tell(execution: ExecutionId, lines: readonly LogLine[]): void {
    for (const { listener } of this.#listeners) this.#tellOne(listener, execution, lines);
    for (const { listener } of this.#byExecution.get(execution) ?? []) this.#tellOne(listener, execution, lines);
  }

  #tellOne(listener: LogListener, execution: ExecutionId, lines: readonly LogLine[]): void {
    try {
      const listen = (): unknown => listener(execution, lines);
      hearRejection(outsideOfSteps(listen), this.#ports.report);
    } catch (error) {
      this.#ports.report(error);
    }
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

  /** While something is being written, or the store is failing, what comes next is set already. */
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

  /** Marks for what did not fit come last: their attempts have written nothing since that was kept (B2). */
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

  /** Marks for what was being written come first: what waits was written after it. */
  #giveUp(logs: readonly NewLogs[]): void {
    const lost = new LostLines();
    for (const { execution, lines } of logs) for (const line of lines) lost.add(execution, line);
    const waiting = this.#waiting;
    this.#waiting = new Map();
    this.#waitingSize = 0;
    this.#queueMarks(lost);
    for (const [execution, lines] of waiting) for (const line of lines) this.#queue(execution, line);
  }

  #queueMarks(lost: LostLines): void {
    const now = this.#ports.environment.now();
    for (const { execution, mark } of lost.takeAll(now)) this.#queue(execution, mark);
  }
}

function lineSize({ text }: LogLine): number {
  return text.length + LINE_SIZE;
}
