// The last resort: when this process ends without having ended its commands, they are killed on the way out. That is so when
// it exits, after an error that nobody caught, and when a signal ends it for which nobody listens.
//
//   E1. A signal for which the program listens is left to the program. A signal for which only this file listens kills the
//       commands and is then sent again, so that the process ends by it as if nobody had listened.
//   E2. Nobody waits here: everything is looked up and killed at once. SIGKILL cannot be seen coming; what it leaves running
//       is ended by the next owner of the store (`orphans.ts`).
//
// SIGPIPE is not here: Node ignores it and reports EPIPE. A listener that is taken away again would undo that.

import { signalProcess, type ProcessGroup } from "./process-group.ts";
import { markedProcessesNow } from "./marked-now.ts";

const SIGNALS: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"];
/** What is killed may just have started another. */
const ROUNDS = 3;

/** Markers of the commands that run, by their groups. */
const guarded = new Map<ProcessGroup, string>();

/** One listener for all, and none while nothing runs. */
export function guard(group: ProcessGroup, marker: string): void {
  if (guarded.size === 0) {
    process.on("exit", killAll);
    for (const signal of SIGNALS) process.on(signal, endBy);
  }
  guarded.set(group, marker);
}

export function unguard(group: ProcessGroup): void {
  if (guarded.delete(group) && guarded.size === 0) stopListening();
}

function stopListening(): void {
  process.off("exit", killAll);
  for (const signal of SIGNALS) process.off(signal, endBy);
}

function endBy(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return;
  killAll();
  stopListening();
  process.kill(process.pid, signal);
}

function killAll(): void {
  const markers = new Set(guarded.values());
  for (let round = 0; round < ROUNDS; round++) {
    for (const group of guarded.keys()) group.signal("SIGKILL");
    const pids = markedProcessesNow(markers);
    if (pids.length === 0) return;
    for (const pid of pids) signalProcess(pid, "SIGKILL");
  }
}
