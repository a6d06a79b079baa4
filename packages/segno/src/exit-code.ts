// How the command ends. Scripts rely on these numbers; docs and `--help` name them.

import type { ExecutionStatus, Failure } from "@segno/kernel";

import type { ErrorCode } from "./errors/catalogue.ts";

export const EXIT_CODES = {
  ok: 0,
  /** An execution failed, or was cancelled by somebody else; a check found damage. */
  failed: 1,
  /** The command line itself is wrong, or an id fits more than one execution. */
  usage: 2,
  /** A contract, or what was given for it, is wrong or cannot be read. */
  invalid: 3,
  /** There is no such execution, step, code or journal. */
  notFound: 5,
  /** What was asked for cannot be done in the state that things are in: it has ended, or it is there already. */
  conflict: 6,
  /** The store cannot be opened, read or written. */
  unreachable: 7,
  /** Segno itself is wrong. */
  bug: 70,
  /** The execution took longer than it may. */
  timeout: 124,
  /** The terminal was closed: the execution was let go and goes on with `segno work`. */
  hungUp: 129,
  /** Ctrl-C. */
  interrupted: 130,
  /** SIGQUIT, which Ctrl-\\ sends: the execution was let go at once and goes on with `segno work`. */
  quit: 131,
  /** SIGTERM. */
  terminated: 143,
} as const;

export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES];

/** Codes that are not here are about a contract or its input. */
const BY_ERROR: Readonly<Partial<Record<ErrorCode, ExitCode>>> = {
  EXECUTION_FAILED: EXIT_CODES.failed,
  EXECUTION_CANCELLED: EXIT_CODES.failed,
  EXECUTION_TIMEOUT: EXIT_CODES.timeout,
  EXECUTION_AMBIGUOUS: EXIT_CODES.usage,
  IDEMPOTENCY_KEY_INVALID: EXIT_CODES.usage,
  OPTION_INVALID: EXIT_CODES.usage,
  NAME_INVALID: EXIT_CODES.usage,
  CURSOR_INVALID: EXIT_CODES.usage,
  EXECUTION_UNKNOWN: EXIT_CODES.notFound,
  STEP_UNKNOWN: EXIT_CODES.notFound,
  JOURNAL_MISSING: EXIT_CODES.notFound,
  EXECUTION_EXISTS: EXIT_CODES.conflict,
  FILE_EXISTS: EXIT_CODES.conflict,
  EXECUTION_UNFINISHED: EXIT_CODES.conflict,
  IDEMPOTENCY_CONFLICT: EXIT_CODES.conflict,
  ENGINE_NOT_OWNER: EXIT_CODES.conflict,
  JOURNAL_OWNED: EXIT_CODES.conflict,
  INBOX_FULL: EXIT_CODES.conflict,
  STORE_EXISTS: EXIT_CODES.conflict,
  STORE_FOREIGN: EXIT_CODES.conflict,
  PAYLOAD_REMOVED: EXIT_CODES.conflict,
  STORE_BUSY: EXIT_CODES.unreachable,
  STORE_CLOSED: EXIT_CODES.unreachable,
  STORE_CODEC: EXIT_CODES.unreachable,
  STORE_CORRUPT: EXIT_CODES.unreachable,
  STORE_FENCED: EXIT_CODES.unreachable,
  STORE_FULL: EXIT_CODES.unreachable,
  STORE_IO: EXIT_CODES.unreachable,
  STORE_LINKED: EXIT_CODES.unreachable,
  STORE_MOVED: EXIT_CODES.unreachable,
  STORE_READ_ONLY: EXIT_CODES.unreachable,
  STORE_SCHEMA: EXIT_CODES.unreachable,
  STORE_UNSUPPORTED: EXIT_CODES.unreachable,
  STORE_VERSION: EXIT_CODES.unreachable,
  ENGINE_CLOSED: EXIT_CODES.bug,
};

export function exitCodeOfError(code: string): ExitCode {
  return BY_ERROR[code as ErrorCode] ?? EXIT_CODES.invalid;
}

/** How a command ends that followed an execution to where it is now. */
export function exitCodeOfExecution(status: ExecutionStatus | "none", failure: Failure | undefined): ExitCode {
  if (status === "completed") return EXIT_CODES.ok;
  return failure?.code === "EXECUTION_TIMEOUT" ? EXIT_CODES.timeout : EXIT_CODES.failed;
}
