// The exit of this process, also while a thread is inside a call of the system.
//
// Node.js waits for all threads when it exits. A thread inside a call of the system, such as `execSync`, ends only when that
// call has returned, and until then only SIGKILL would end the process.
//
//   PE1. The listeners of `exit` are called first: they kill commands that run and restore the terminal.
//   PE2. If a thread is left after them, this process is replaced by a program that does nothing but exit with the same code.
//        The system ends all threads then. A program cannot end itself in another way without losing its exit code.

import type { Worker } from "node:worker_threads";

import type { ExitCode } from "../errors/exit-code.ts";

const threads = new Set<Worker>();

/** Called before the first thread starts. */
export function trackThreads(): void {
  process.on("worker", (worker: Worker) => {
    threads.add(worker);
    worker.once("exit", () => threads.delete(worker));
  });
}

/** Exits with `process.exitCode` by default. */
export function exitProcess(exitCode?: ExitCode): never {
  // Registered as late as possible, so that it is the last listener (PE1).
  process.once("exit", endThreads);
  // An explicit `undefined` would reset the exit code.
  return exitCode === undefined ? process.exit() : process.exit(exitCode);
}

function endThreads(): void {
  if (threads.size === 0) return;
  const program = `process.exit(${Number(process.exitCode ?? 0)})`;
  process.execve?.(process.execPath, [process.execPath, "--eval", program], {});
  // Systems without `execve` lose the exit code.
  process.kill(process.pid, "SIGKILL");
}
