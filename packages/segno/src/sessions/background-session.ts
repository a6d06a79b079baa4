// A worker that `run --detach` or `retry --detach` has started in the background.
//
//   BW1. A journal has at most one background worker. It holds a lock of the operating system, which is free when its
//        process ends for any reason; a worker that does not get the lock exits.
//   BW2. No execution is left without a worker. An execution is recorded before its worker starts, and a worker that finds
//        nothing to do frees the lock before it looks for the last time. If another worker found the lock held, this one finds
//        that worker's execution, and starts a worker for it.

import { OwnerLock } from "@segno/engine/owner-lock";

import { journalFile } from "../journal/journal-options.ts";
import { openToRead } from "../journal/open-engine.ts";
import { safeText } from "../terminal/safe-text.ts";
import { startWorker } from "../worker/background-worker.ts";
import { hasActiveExecutions, runWorker, type WorkerEnd, type WorkerSession } from "./work-loop.ts";

/** `undefined` if another background worker runs the executions. */
export async function runInBackground(session: WorkerSession): Promise<WorkerEnd | undefined> {
  const { options, view } = session;
  const lock = tryLock(session);
  if (lock === "held") {
    view.printNote("another background worker runs the executions of this journal");
    return undefined;
  }
  const end = await runWorker(session);
  lock?.close();
  if (end.isIdle && (await isAnyLeft(session, end))) await startWorker(options);
  return end;
}

/** Without a lock there may be several workers, which is better than none: the execution is recorded already. */
function tryLock({ options, view }: WorkerSession): OwnerLock | "held" | undefined {
  try {
    return OwnerLock.tryAcquire(`${journalFile(options)}-background`) ?? "held";
  } catch (error) {
    view.printNote(`! ${safeText((error as Error).message)}`);
    return undefined;
  }
}

async function isAnyLeft({ options }: WorkerSession, { skipped }: WorkerEnd): Promise<boolean> {
  await using engine = await openToRead(options);
  return hasActiveExecutions(engine, skipped);
}
