// Starts the processes of agents and checks. In a workflow the engine owns them: they end with the attempt, and after a
// crash the next owner of the store ends them.

import type { Readable, Writable } from "node:stream";

export interface StartedProcess {
  readonly pid: number | undefined;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** The main process has exited. Rejects if it could not be started. */
  readonly mainExit: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  /** Resolves when no process of its tree runs. */
  readonly treeExited: Promise<void>;
  /** SIGTERM to the whole tree, and SIGKILL after a grace period. */
  stop(): void;
}

export interface ProcessToStart {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The variables of this process that are passed on; a trailing `*` matches any suffix. */
  readonly inherits?: readonly string[];
}

export interface ProcessStarter {
  start(command: ProcessToStart): StartedProcess;
}
