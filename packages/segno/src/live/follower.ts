// A follower follows one execution, in any process: its events and the output of its steps go to a view.

import type { ExecutionHandle, StepProgress, WatchEvent } from "@segno/engine";
import { invariant } from "@segno/kernel";

import type { FollowedExecution } from "../progress/followed-execution.ts";
import { loadLabels, newExecution } from "../progress/load-execution.ts";
import { LogOrderer } from "./log-orderer.ts";
import { withLabels } from "./log-text.ts";
import type { LogRouter, ShowLines } from "./log-router.ts";
import type { View } from "./view.ts";
import type { InspectedEngine } from "../remote/inspected-engine.ts";

export interface FollowOptions {
  readonly engine: InspectedEngine;
  readonly handle: ExecutionHandle;
  /** The execution so far: only its later events are shown. Absent to show all events. */
  readonly execution?: FollowedExecution;
  readonly view: View;
  /** The output of steps of this process. The output of other processes is read from the store. */
  readonly feed?: LogRouter;
  /** Lines in the store that are older than this time are not shown. */
  readonly logsSince?: number;
  /** Whether to return when the execution is parked and none of its steps runs: then a person is needed. */
  readonly endsWhenParked?: boolean;
}

/** The time to wait for the last lines of an execution that ended in another process. */
const LAST_LINES_MS = 1000;
/** Lines of another process reach the store this much later than events. */
const LINES_BEHIND_MS = 250;
/** How often the progress of another process is read. */
const PROGRESS_MS = 250;

export class Follower {
  readonly #options: FollowOptions;
  readonly #order: LogOrderer;
  #execution: FollowedExecution | undefined;

  constructor(options: FollowOptions) {
    const { handle, view } = options;
    this.#options = options;
    this.#execution = options.execution;
    this.#order = new LogOrderer((lines) =>
      view.onLines(
        handle.id,
        withLabels(lines, (step) => this.#execution?.labelNamed(step)),
      ),
    );
  }

  /** The execution as far as its events have been shown; undefined before the first event. */
  get execution(): FollowedExecution | undefined {
    return this.#execution;
  }

  /** Returns when the execution ends. */
  async untilEnd(): Promise<FollowedExecution> {
    const { handle } = this.#options;
    let logs: Logs | undefined;
    const stopProgress = this.#followProgress();
    try {
      for await (const watched of handle.events()) {
        logs ??= showLogs(this.#options, (lines) => this.#order.onLines(lines));
        await logs.upTo(watched);
        if (await this.#show(watched)) break;
      }
      await logs?.rest();
      this.#order.end();
    } finally {
      logs?.stop();
      stopProgress();
    }
    invariant(this.#execution !== undefined, "EVENT-1", `the events of ${handle.id} ended before the first one`);
    return this.#execution;
  }

  /** Progress of this process arrives at once; progress of another process is read from the store. */
  #followProgress(): () => void {
    const { engine, handle, feed } = this.#options;
    if (feed !== undefined && engine.isOwner)
      return feed.onProgress(handle.id, (progress) => this.#onProgress(progress));
    const timer = setInterval(() => void this.#readProgress(), PROGRESS_MS).unref();
    return () => clearInterval(timer);
  }

  /** The events report a store that cannot be read. */
  async #readProgress(): Promise<void> {
    const { engine, handle } = this.#options;
    if (this.#execution === undefined || this.#execution.count("running") === 0) return;
    for (const progress of await engine.progress(handle.id).catch(() => [])) this.#onProgress(progress);
  }

  /** Stored progress may belong to an attempt that has ended. */
  #onProgress(progress: StepProgress): void {
    const execution = this.#execution;
    if (execution === undefined || !execution.addProgress(progress)) return;
    if (execution.isProgressShown(progress)) this.#options.view.onProgress(execution.id, progress);
  }

  /** Returns true if a person is needed before the execution continues, and the follower does not wait for one. */
  async #show(watched: WatchEvent): Promise<boolean> {
    const { engine, handle, view, endsWhenParked = false } = this.#options;
    const execution = (this.#execution ??= await beforeFirst(watched, engine));
    if (await applyEvent(watched, execution, engine)) view.onEvent(watched, execution);
    this.#order.onEvent(watched);
    return endsWhenParked && isBlockedOnHuman(execution) && (await handle.status()).status === "parked";
  }
}

function isBlockedOnHuman(execution: FollowedExecution): boolean {
  return execution.status === "parked" && execution.count("running") === 0;
}

/** The execution before its first event, which names its definition. */
export async function beforeFirst(
  { executionId, event }: WatchEvent,
  engine: InspectedEngine,
): Promise<FollowedExecution> {
  invariant(event.kind === "execution.created", "EVENT-1", `the events of ${executionId} begin with ${event.kind}`);
  return newExecution(engine, executionId, event.definition);
}

/** Folds an event, and loads the labels of items that it adds. Returns false if the event was folded before. */
export async function applyEvent(
  watched: WatchEvent,
  execution: FollowedExecution,
  engine: InspectedEngine,
): Promise<boolean> {
  const isNew = execution.apply(watched);
  if (isNew && watched.kind === "step.expanded") await loadLabels(engine, execution, "last");
  return isNew;
}

interface Logs {
  /** Resolves when lines from before this event have been shown, as far as can be known. */
  upTo(watched: WatchEvent): Promise<void>;
  /** Resolves when all lines so far have been shown. */
  rest(): Promise<void>;
  stop(): void;
}

/** Lines of this process arrive at once; lines of another process are read from the store. */
function showLogs(followed: FollowOptions, show: ShowLines): Logs {
  const { engine, handle, feed: router } = followed;
  if (router !== undefined && engine.isOwner) {
    router.show(handle.id, show);
    return { upTo: async () => undefined, rest: async () => undefined, stop: () => undefined };
  }
  const controller = new AbortController();
  // The events report a store that cannot be read.
  const reading = readLogs(followed, show, controller.signal).catch(() => undefined);
  return {
    upTo: ({ kind, at }) => (kind === "step.started" ? Promise.resolve() : sleepUntilWritten(at)),
    rest: () => Promise.race([reading, sleep(LAST_LINES_MS)]),
    stop: () => controller.abort(),
  };
}

/** Waits at most `LINES_BEHIND_MS`, even if the clock was set back after the event. */
function sleepUntilWritten(at: number): Promise<void> {
  return sleep(Math.min(at + LINES_BEHIND_MS - Date.now(), LINES_BEHIND_MS));
}

function sleep(ms: number): Promise<void> {
  return ms <= 0 ? Promise.resolve() : new Promise((resolve) => setTimeout(resolve, ms).unref());
}

async function readLogs(
  { engine, handle, logsSince = 0 }: FollowOptions,
  show: ShowLines,
  signal: AbortSignal,
): Promise<void> {
  for await (const line of engine.logs(handle.id, { follow: true, signal })) if (line.at >= logsSince) show([line]);
}
