// The last resort: if this process exits while process trees run, the guard kills them. That covers a normal exit, an
// uncaught error, and a signal that the program does not handle.
//
//   EG1. A signal that the program handles is left to the program. If only guards listen, this one kills the process
//        trees and sends the signal to this process again, so that the signal terminates the process as usual. Guards are
//        this one, that of another copy of this package, and those of the package `signal-exit`, which act only if nobody
//        else listens: each would wait for the other.
//   EG2. The guard is synchronous. SIGKILL cannot be intercepted; the next owner of the store kills the processes that
//        are left behind (`orphans.ts`).
//
// SIGPIPE is missing on purpose: Node.js ignores it and reports EPIPE, and removing a listener would undo that.

import { signalProcess, type ProcessGroup } from "./process-group.ts";
import { releaseDescriptor, reserveDescriptor } from "./proc-read.ts";
import { markedProcessesSync } from "./marked-processes.ts";

const SIGNALS: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"];
/** A process may start another one just before it is killed. */
const PASSES_MAX = 3;

/** The listeners of all copies of this package in this process. */
const GUARDS = Symbol.for("segno.exit-guards");
/** The packages of `signal-exit` count their listeners here: version 4 and later, and version 3. */
const SIGNAL_EXIT = Symbol.for("signal-exit emitter");
const SIGNAL_EXIT_3 = "__signal_exit_emitter__";

/** The markers of running process trees, by process group. */
const guarded = new Map<ProcessGroup, string>();

/** One set of listeners for all process trees, and none while no tree runs. */
export function killOnExit(group: ProcessGroup, marker: string): void {
  if (guarded.size === 0) {
    process.on("exit", killAll);
    for (const signal of SIGNALS) process.on(signal, onSignal);
    guards().add(onSignal);
  }
  reserveDescriptor();
  guarded.set(group, marker);
}

/** No process of the tree is left. */
export function cancelKillOnExit(group: ProcessGroup): void {
  if (guarded.delete(group) && guarded.size === 0) stopListening();
}

function stopListening(): void {
  process.off("exit", killAll);
  for (const signal of SIGNALS) process.off(signal, onSignal);
  guards().delete(onSignal);
  releaseDescriptor();
}

function guards(): Set<unknown> {
  return ((globalThis as Record<symbol, unknown>)[GUARDS] ??= new Set()) as Set<unknown>;
}

/** Whether the program itself listens (EG1). */
function isHandled(signal: NodeJS.Signals): boolean {
  const others = process.listeners(signal).filter((listener) => !guards().has(listener));
  const counters = [
    (globalThis as Record<symbol, unknown>)[SIGNAL_EXIT],
    (process as unknown as Record<string, unknown>)[SIGNAL_EXIT_3],
  ] as readonly ({ readonly count?: unknown } | undefined)[];
  const known = counters.map((counter) => (typeof counter?.count === "number" ? counter.count : 0));
  return others.length > known.reduce((sum, count) => sum + count, 0);
}

function onSignal(signal: NodeJS.Signals): void {
  if (isHandled(signal)) return;
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
