// The exit codes of the command. Scripts rely on them; the guides and `--help` list them.

import type { ExecutionStatus, Failure } from "@segno/kernel";

import type { ErrorCode } from "./catalogue.ts";

export const EXIT_CODES = {
  ok: 0,
  /** An execution failed, was cancelled or is parked, or a check found damage. */
  failed: 1,
  /** The command line is invalid, or an id matches several executions. */
  usage: 2,
  /** A contract or its input is invalid or cannot be read. */
  invalid: 3,
  /** There is no such execution, step, code or journal. */
  notFound: 5,
  /** The request is not possible in the current state: the execution has ended, or something exists already. */
  conflict: 6,
  /** The store cannot be opened, read or written. */
  unreachable: 7,
  /** A bug in Segno. */
  bug: 70,
  /** The execution exceeded its timeout. */
  timeout: 124,
  /** The terminal was closed: the command detached, and `segno work` resumes the execution. */
  hungUp: 129,
  /** Ctrl-C. */
  interrupted: 130,
  /** SIGQUIT, which Ctrl-\\ sends: the command detached at once, and `segno work` resumes the execution. */
  quit: 131,
  /** SIGTERM. */
  terminated: 143,
} as const;

export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES];

/** Other codes are about a contract or its input. */
const BY_ERROR: Readonly<Partial<Record<ErrorCode, ExitCode>>> = {
  EXECUTION_FAILED: EXIT_CODES.failed,
  EXECUTION_CANCELLED: EXIT_CODES.failed,
  EXECUTION_TIMEOUT: EXIT_CODES.timeout,
  EXECUTION_AMBIGUOUS: EXIT_CODES.usage,
  IDEMPOTENCY_KEY_INVALID: EXIT_CODES.usage,
  LABEL_INVALID: EXIT_CODES.usage,
  OPTION_INVALID: EXIT_CODES.usage,
  NAME_INVALID: EXIT_CODES.usage,
  CURSOR_INVALID: EXIT_CODES.usage,
  EXECUTION_UNKNOWN: EXIT_CODES.notFound,
  STEP_UNKNOWN: EXIT_CODES.notFound,
  ARTIFACT_NOT_FOUND: EXIT_CODES.notFound,
  JOURNAL_MISSING: EXIT_CODES.notFound,
  TOKEN_UNKNOWN: EXIT_CODES.notFound,
  EXECUTION_EXISTS: EXIT_CODES.conflict,
  FILE_EXISTS: EXIT_CODES.conflict,
  EXECUTION_UNFINISHED: EXIT_CODES.conflict,
  IDEMPOTENCY_CONFLICT: EXIT_CODES.conflict,
  DOCUMENT_CHANGED: EXIT_CODES.conflict,
  START_UNANSWERED: EXIT_CODES.conflict,
  ENGINE_NOT_OWNER: EXIT_CODES.conflict,
  JOURNAL_OWNED: EXIT_CODES.conflict,
  INBOX_FULL: EXIT_CODES.conflict,
  STORE_EXISTS: EXIT_CODES.conflict,
  STORE_FOREIGN: EXIT_CODES.conflict,
  PAYLOAD_REMOVED: EXIT_CODES.conflict,
  ARTIFACT_DAMAGED: EXIT_CODES.failed,
  DOCUMENT_DAMAGED: EXIT_CODES.failed,
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

/** The exit code of a command that followed an execution, from the status at the end. */
export function exitCodeOfExecution(status: ExecutionStatus | "none", failure: Failure | undefined): ExitCode {
  if (status === "completed") return EXIT_CODES.ok;
  return failure?.code === "EXECUTION_TIMEOUT" ? EXIT_CODES.timeout : EXIT_CODES.failed;
}
