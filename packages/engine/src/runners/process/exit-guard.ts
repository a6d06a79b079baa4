// The last resort: if this process exits while process trees run, the guard kills them. That covers a normal exit, an
// uncaught error, and a signal that the program does not handle.
//
//   EG1. A signal that the program handles is left to the program. If only this guard listens, it kills the process
//        trees and sends the signal to this process again, so that the signal terminates the process as usual.
//   EG2. The guard is synchronous. SIGKILL cannot be intercepted; the next owner of the store kills the processes that
//        are left behind (`orphans.ts`).
//
// SIGPIPE is missing on purpose: Node.js ignores it and reports EPIPE, and removing a listener would undo that.

import { signalProcess, type ProcessGroup } from "./process-group.ts";
import { markedProcessesSync } from "./marked-processes.ts";

const SIGNALS: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"];
/** A process may start another one just before it is killed. */
const PASSES_MAX = 3;

/** The markers of running process trees, by process group. */
const guarded = new Map<ProcessGroup, string>();

/** One set of listeners for all process trees, and none while no tree runs. */
export function killOnExit(group: ProcessGroup, marker: string): void {
  if (guarded.size === 0) {
    process.on("exit", killAll);
    for (const signal of SIGNALS) process.on(signal, onSignal);
  }
  guarded.set(group, marker);
}

/** No process of the tree is left. */
export function cancelKillOnExit(group: ProcessGroup): void {
  if (guarded.delete(group) && guarded.size === 0) stopListening();
}

function stopListening(): void {
  process.off("exit", killAll);
  for (const signal of SIGNALS) process.off(signal, onSignal);
}

function onSignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return;
  killAll();
  stopListening();
  process.kill(process.pid, signal);
}

function killAll(): void {
  const markers = new Set(guarded.values());
  for (let pass = 0; pass < PASSES_MAX; pass++) {
    for (const group of guarded.keys()) group.signal("SIGKILL");
    const pids = markedProcessesSync(markers);
    if (pids.length === 0) return;
    for (const pid of pids) signalProcess(pid, "SIGKILL");
  }
}
