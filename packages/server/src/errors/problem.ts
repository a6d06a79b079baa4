// ProblemDocument details (RFC 9457): the body of every answer that is not a success (HTTP-6).

import { ContractError } from "@segno/contract";
import { SegnoError } from "@segno/kernel";

/** One fault of a request. `pointer` is a JSON Pointer into its body, or the name of a header or parameter. */
export interface ProblemEntry {
  readonly detail: string;
  readonly pointer: string;
}

/** The body of an answer that reports a problem. */
export interface ProblemDocument {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: string;
  readonly problems?: readonly ProblemEntry[];
}

/** The reference of the error codes, with an anchor for each. */
const REFERENCE = "https://github.com/segno-dev/segno/blob/main/docs/reference/errors.md#";

/** The status of each code that is not about the request itself, which is 400. */
const STATUS: Readonly<Record<string, number>> = {
  TOKEN_MISSING: 401,
  LOGIN_CODE_INVALID: 401,
  SIGNATURE_INVALID: 401,
  SCOPE_MISSING: 403,
  KIND_REFUSED: 403,
  ORIGIN_REFUSED: 403,
  EXECUTION_UNKNOWN: 404,
  STEP_UNKNOWN: 404,
  WORKFLOW_UNKNOWN: 404,
  DEFINITION_UNKNOWN: 404,
  OUTPUT_MISSING: 404,
  HOOK_UNKNOWN: 404,
  TOKEN_UNKNOWN: 404,
  ARTIFACT_NOT_FOUND: 404,
  ROUTE_UNKNOWN: 404,
  REQUEST_TIMEOUT: 408,
  EXECUTION_EXISTS: 409,
  WORKFLOW_FIXED: 409,
  DOCUMENT_CHANGED: 409,
  EXECUTION_UNFINISHED: 409,
  ENGINE_NOT_OWNER: 409,
  PAYLOAD_REMOVED: 410,
  BODY_TOO_LARGE: 413,
  VALUE_TOO_LARGE: 413,
  MEDIA_TYPE_UNSUPPORTED: 415,
  HOST_REFUSED: 421,
  IDEMPOTENCY_CONFLICT: 422,
  INPUT_INVALID: 422,
  CONTRACT_INVALID: 422,
  SIGNAL_INVALID: 422,
  ANSWER_INVALID: 422,
  RATE_LIMITED: 429,
  HEADERS_TOO_LARGE: 431,
  STREAMS_LIMITED: 429,
  INBOX_FULL: 429,
  SERVER_FAULT: 500,
  SERVER_CLOSING: 503,
  SECRET_MISSING: 503,
  ENGINE_CLOSED: 503,
  STORE_BUSY: 503,
  STORE_CLOSED: 503,
  STORE_CODEC: 503,
  STORE_CORRUPT: 503,
  STORE_FENCED: 503,
  STORE_FULL: 503,
  STORE_IO: 503,
  STORE_MOVED: 503,
  STORE_READ_ONLY: 503,
  START_UNANSWERED: 503,
};

/** An error of a request, with the faults that the answer lists. */
export class RequestError extends SegnoError {
  override readonly name: string = "RequestError";
  readonly problems: readonly ProblemEntry[];

  constructor(message: string, problems: readonly ProblemEntry[]) {
    super("REQUEST_INVALID", message);
    this.problems = problems;
  }
}

export function statusOfCode(code: string): number {
  return STATUS[code] ?? 400;
}

/** An unknown error is a fault of the server. Its message stays in the log, because it may contain anything. */
export function toProblem(error: unknown): ProblemDocument {
  if (!(error instanceof SegnoError)) return problem("SERVER_FAULT", "the server failed; its log has the reason");
  return { ...problem(error.code, error.message), ...listedProblems(error) };
}

function listedProblems(error: SegnoError): { readonly problems?: readonly ProblemEntry[] } {
  if (error instanceof RequestError) return { problems: error.problems };
  if (!(error instanceof ContractError)) return {};
  const problems = error.problems.map(({ message, line, column, path }): ProblemEntry => ({
    detail: `${line}:${column}: ${message}`,
    pointer: path.map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`).join(""),
  }));
  return { problems };
}

function problem(code: string, detail: string): ProblemDocument {
  return { type: `${REFERENCE}${code.toLowerCase()}`, title: titleOf(code), status: statusOfCode(code), detail, code };
}

/** `TOKEN_MISSING` becomes "token missing": the title of a type of problem never changes. */
function titleOf(code: string): string {
  return code.toLowerCase().replaceAll("_", " ");
}
