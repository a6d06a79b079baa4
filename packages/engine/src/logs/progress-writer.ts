// The progress writer: passes the latest progress of attempts on to subscribers in this process, and to the store.
//
//   PW1. The first progress is passed on at once; further ones are collected for 100 ms, and only the latest of each
//        attempt counts. So an attempt that reports without pause costs ten writes a second.
//   PW2. The progress of an attempt that has ended is dropped.
//   PW3. A store that cannot take progress affects nothing else: the progress is dropped, and the fault is reported once
//        until the store works again.

import type { ExecutionId } from "@segno/kernel";
import type { NewLogs, StepLogs } from "../store/step-logs.ts";
import type { StepProgress } from "../store/step-progress.ts";
import { ExecutionListeners } from "./execution-listeners.ts";

export interface ProgressWriterPorts {
  /** Undefined for a store without logs. */
  readonly store: Pick<StepLogs, "appendLogs"> | undefined;
  /** Calls back once after a delay, or never if the engine closes first. */
  readonly later: (ms: number, call: () => void) => void;
  readonly report: (error: unknown) => void;
}

/** An attempt that reports progress. */
export interface ProgressSource {
  readonly execution: ExecutionId;
  readonly progress: StepProgress | undefined;
  isCurrent(): boolean;
}

/** Gets the latest progress of an attempt that runs in this process. */
export type ProgressListener = (execution: ExecutionId, progress: StepProgress) => void;

const COLLECT_MS = 100;

export class ProgressWriter {
  readonly #ports: ProgressWriterPorts;
  readonly #listeners: ExecutionListeners<StepProgress>;
  /** Attempts with progress that subscribers have not seen. */
  #untold = new Set<ProgressSource>();
  /** Attempts with progress that the store does not have. */
  #unwritten = new Set<ProgressSource>();
  #isCollecting = false;
  #isFailing = false;

  constructor(ports: ProgressWriterPorts) {
    this.#ports = ports;
    this.#listeners = new ExecutionListeners(ports.report);
  }

  /** Returns a function that unsubscribes. */
  subscribe({ execution }: { readonly execution?: string }, listener: ProgressListener): () => void {
    return this.#listeners.add(execution, listener);
  }

  onReported(source: ProgressSource): void {
    this.#untold.add(source);
    this.#unwritten.add(source);
    if (this.#isCollecting) return;
    this.#tellAll();
    this.#collect();
  }

  #collect(): void {
    this.#isCollecting = true;
    this.#ports.later(COLLECT_MS, () => {
      this.#isCollecting = false;
      const isMore = this.#untold.size > 0;
      this.#tellAll();
      void this.#write();
      if (isMore) this.#collect();
    });
  }

  #tellAll(): void {
    const sources = this.#untold;
    this.#untold = new Set();
    for (const { execution, progress } of current(sources)) this.#listeners.tell(execution, progress!);
  }

  async #write(): Promise<void> {
    const sources = this.#unwritten;
    this.#unwritten = new Set();
    const logs = toLogs(current(sources));
    if (logs.length === 0) return;
    try {
      await this.#ports.store?.appendLogs(logs);
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) this.#ports.report(error);
      this.#isFailing = true;
    }
  }
}

/** PW2. */
function current(sources: Iterable<ProgressSource>): readonly ProgressSource[] {
  return [...sources].filter((source) => source.isCurrent());
}

function toLogs(sources: readonly ProgressSource[]): readonly NewLogs[] {
  const byExecution = Map.groupBy(sources, ({ execution }) => execution);
  return Array.from(byExecution, ([execution, those]) => ({
    execution,
    lines: [],
    progress: those.map(({ progress }) => progress!),
  }));
}
