// Following one execution: its events and what its steps write go to a view, wherever it runs.

import type { Engine, ExecutionHandle, WatchEvent } from "@segno/engine";

import type { ExecutionProgress } from "../progress/execution-progress.ts";
import { LogOrderer } from "./log-orderer.ts";
import { withLabels } from "./log-text.ts";
import type { LogRouter, ShowLines } from "./log-router.ts";
import type { View } from "./view.ts";

export interface FollowOptions {
  readonly engine: Engine;
  readonly handle: ExecutionHandle;
  readonly progress: ExecutionProgress;
  readonly view: View;
  /** What the steps of this process write; what those of another do is read from the store. */
  readonly feed?: LogRouter;
  /** Of what is read from the store, what was written before then is not shown. */
  readonly logsSince?: number;
  /** Whether to stop where a person is needed: it is parked, and nothing of it runs. */
  readonly endsWhenParked?: boolean;
}

/** How long to wait for the last lines of an execution that ended in another process. */
const LAST_LINES_MS = 1000;
/** What another process' steps write is in the store a little later than what happens to them. */
const LINES_BEHIND_MS = 250;

/** Ends with the execution. */
export async function follow(followed: FollowOptions): Promise<void> {
  const { handle, progress, view, endsWhenParked = false } = followed;
  const order = new LogOrderer((lines) =>
    view.onLines(
      handle.id,
      withLabels(lines, (step) => progress.label(step)),
    ),
  );
  let logs: Logs | undefined;
  try {
    for await (const watched of handle.events()) {
      logs ??= showLogs(followed, (lines) => order.onLines(lines));
      await logs.upTo(watched);
      if (await applyEvent(watched, handle, progress)) view.onEvent(watched, progress);
      order.onEvent(watched);
      if (endsWhenParked && isBlockedOnHuman(progress) && (await handle.status()).status === "parked") break;
    }
    await logs?.rest();
    order.end();
  } finally {
    logs?.stop();
  }
}

function isBlockedOnHuman({ status, active }: ExecutionProgress): boolean {
  return status === "parked" && !active.some((step) => step.status === "running");
}

/** Takes an event, with the report that it may need to be understood. False when it was known. */
export async function applyEvent(
  watched: WatchEvent,
  handle: ExecutionHandle,
  progress: ExecutionProgress,
): Promise<boolean> {
  if (progress.needsSnapshot) progress.loadSteps(await handle.status());
  const isNew = progress.apply(watched);
  if (!progress.needsSnapshot) return isNew;
  const report = await handle.status();
  if (watched.kind === "execution.reopened") progress.resetFrom(report);
  else progress.loadSteps(report);
  return isNew;
}

interface Logs {
  /** What was written before this happened has been shown, as far as anybody can tell. */
  upTo(watched: WatchEvent): Promise<void>;
  /** What was written until now has been shown. */
  rest(): Promise<void>;
  stop(): void;
}

/** Lines of this process come at once; those of another process come out of the store. */
function showLogs(followed: FollowOptions, show: ShowLines): Logs {
  const { engine, handle, feed: router } = followed;
  if (router !== undefined && engine.isOwner) {
    router.show(handle.id, show);
    return { upTo: async () => undefined, rest: async () => undefined, stop: () => undefined };
  }
  const controller = new AbortController();
  // Who follows is told by the events when the store cannot be read.
  const reading = readLogs(followed, show, controller.signal).catch(() => undefined);
  return {
    upTo: ({ kind, at }) => (kind === "step.started" ? Promise.resolve() : sleepUntilWritten(at)),
    rest: () => Promise.race([reading, sleep(LAST_LINES_MS)]),
    stop: () => controller.abort(),
  };
}

/** Never longer than lines take, even if the clock was set back since the event. */
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
