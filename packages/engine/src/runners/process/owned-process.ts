// A process that an agent on the main thread starts with `engine.extensions.spawn`, as the agent sees it.

import type { Readable, Writable } from "node:stream";

/** A command that an attempt starts as a process of its own. */
export interface ProcessCommand {
  /** The program and its arguments; no shell reads them. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** Variables of the process, beside the inherited ones and those that identify the attempt. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * The names of the variables of this process that are passed on; a trailing `*` matches any suffix. By default the
   * same as for commands.
   */
  readonly inherits?: readonly string[];
}

/** A process that an attempt owns. It ends with the attempt. */
export interface OwnedProcess {
  /** Undefined if the process could not be started. */
  readonly pid: number | undefined;
  /** Writing to a process that has exited, or closed its stdin, is not an error of this process. */
  readonly stdin: Writable;
  /** The bytes as the process writes them: secrets are not masked. It is closed when the attempt ends. */
  readonly stdout: Readable;
  /** Like `stdout`. */
  readonly stderr: Readable;
  /**
   * Resolves when the main process has exited; both fields are null if it does not exit although it was killed. Rejects
   * with a `SegnoError` if it could not be started.
   */
  readonly mainExit: Promise<OwnedProcessExit>;
  /**
   * Resolves when no process of the tree runs. When the main process has exited, the remaining processes are terminated
   * first, in whichever session they are. A process that SIGKILL does not terminate is reported, and
   * waited for only some seconds.
   */
  readonly treeExited: Promise<void>;
  /** Sends SIGTERM to all processes of the tree, and SIGKILL after the grace period. Further calls do nothing. */
  stop(): void;
}

/** How a process has exited: with an exit code, or by a signal. */
export interface OwnedProcessExit {
  readonly code: number | null;
  readonly signal: string | null;
}
