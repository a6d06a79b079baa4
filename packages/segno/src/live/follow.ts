// Follows one execution, in any process: its events and the output of its steps go to a view.

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

/** Returns when the execution ends. */
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

/** Applies an event, and reads a report if the event needs one. Returns false if the event was applied before. */
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
