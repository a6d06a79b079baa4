// Classifies errors (FAIL-1): transient or permanent, by name, code and HTTP status along the chain of causes.
//
// Timeouts and cancellations are not classified here: only the engine knows whether its own deadline or signal caused an error. An
// explicit name or code takes precedence over a status.

import { maskAndCut, type TextFilter } from "../errors/mask-and-cut.ts";
import type { Failure, FailureClass } from "../model/failure.ts";
import { durationMs } from "../model/units.ts";

/** The name of the errors after which an attempt does not count (FAIL-2). */
const RATE_LIMIT_ERROR = "RateLimitError";

const TRANSIENT: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EPIPE",
  "EAI_AGAIN",
  "NetworkError",
  "TimeoutError",
  "ServiceUnavailable",
  "TooManyRequests",
  "RetryAfterError",
  RATE_LIMIT_ERROR,
]);

const PERMANENT: ReadonlySet<string> = new Set([
  "ValidationError",
  "AuthenticationError",
  "AuthorizationError",
  "NotFoundError",
  "ConflictError",
  "BadRequest",
  "PermanentError",
  // Running a program again does not remove its bugs.
  "TypeError",
  "ReferenceError",
  "SyntaxError",
  "RangeError",
]);

/** The fields of an error that are read. A handler may throw any value, so no field is certain. */
interface ErrorLike {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly message?: unknown;
  readonly status?: unknown;
  readonly statusCode?: unknown;
  readonly retryAfterMs?: unknown;
  readonly cause?: unknown;
}

const CAUSES_MAX = 16;

/** The first error along the chain that can be classified decides; an unknown error is tried again. */
export function classifyError(error: unknown): FailureClass {
  const chain = causeChain(error);
  for (const each of chain) {
    const verdict = byName(each) ?? byStatus(each);
    if (verdict !== undefined) return verdict;
  }
  return chain.some(isMistake) ? "permanent" : "transient";
}

function causeChain(error: unknown): readonly ErrorLike[] {
  const chain: ErrorLike[] = [];
  for (let each = error; isErrorLike(each) && !chain.includes(each) && chain.length < CAUSES_MAX; each = each.cause)
    chain.push(each);
  return chain;
}

function isErrorLike(value: unknown): value is ErrorLike {
  return typeof value === "object" && value !== null;
}

/**
 * A code takes precedence over a name, and a cause over a TypeError: `fetch` throws a TypeError around a refused connection.
 */
function byName(error: ErrorLike): FailureClass | undefined {
  return knownClass(error.code) ?? (isWrapper(error) ? undefined : knownClass(error.name));
}

function isWrapper({ name, cause }: ErrorLike): boolean {
  return name === "TypeError" && isErrorLike(cause);
}

/** The messages of `fetch` when the network caused the error, and not the program. */
const FETCH_MESSAGES: ReadonlySet<unknown> = new Set(["fetch failed", "terminated"]);

/** A TypeError whose causes cannot be classified either is a bug in the program. */
function isMistake(error: ErrorLike): boolean {
  return isWrapper(error) && !FETCH_MESSAGES.has(error.message);
}

function knownClass(word: unknown): FailureClass | undefined {
  if (typeof word !== "string") return undefined;
  if (TRANSIENT.has(word) || word.startsWith("UND_ERR_")) return "transient";
  return PERMANENT.has(word) ? "permanent" : undefined;
}

function byStatus({ status, statusCode }: ErrorLike): FailureClass | undefined {
  const code = typeof statusCode === "number" ? statusCode : status;
  if (typeof code !== "number") return undefined;
  if (isTransientStatus(code)) return "transient";
  return code >= 400 ? "permanent" : undefined;
}

/** 408 (request timeout), 425 (too early) and 429 ask the client to try again. */
function isTransientStatus(status: number): boolean {
  return status >= 500 || status === 408 || status === 425 || status === 429;
}

/** A longer code is cut: a code is a name, and a program may put data there by mistake. */
const CODE_MAX = 256;
/** A year. A longer delay is a mistake. */
const RETRY_AFTER_MAX_MS = 31_536_000_000;

/**
 * Converts an error into a failure: the JSON that the journal keeps, with no more causes than were classified. `shown`
 * has no default: every text of user code is masked before it is cut.
 */
export function toFailure(error: unknown, shown: TextFilter, kind: FailureClass = classifyError(error)): Failure {
  if (!isErrorLike(error)) return { class: kind, code: "Error", message: failureMessage(String(error), shown) };
  const chain = causeChain(error);
  return chain.reduceRight<Failure | undefined>(
    (cause, _, index) => ownFailure(chain.slice(index), kind, cause, shown),
    undefined,
  )!;
}

function ownFailure(
  chain: readonly ErrorLike[],
  kind: FailureClass,
  cause: Failure | undefined,
  shown: TextFilter,
): Failure {
  const { name, code, message, statusCode, status } = chain[0]!;
  const answered = [statusCode, status].find(isStatus);
  const retryAfter = chain.map((each) => each.retryAfterMs).find(isFiniteNumber);
  return {
    class: kind,
    code: failureCode(code, name, shown),
    message: failureMessage(message, shown),
    ...failureName(code, name, shown),
    ...(answered === undefined ? {} : { status: answered }),
    ...(retryAfter === undefined
      ? {}
      : { retryAfter: durationMs(Math.min(Math.max(0, Math.round(retryAfter)), RETRY_AFTER_MAX_MS)) }),
    ...(kind === "transient" && chain.some((each) => each.name === RATE_LIMIT_ERROR) ? { isUncounted: true } : {}),
    ...(cause === undefined ? {} : { cause }),
  };
}

function failureCode(code: unknown, name: unknown, shown: TextFilter): string {
  if (typeof code === "string") return maskAndCut(code, shown, CODE_MAX);
  return typeof name === "string" && name !== "" ? maskAndCut(name, shown, CODE_MAX) : "Error";
}

/** A code replaces the name as the code of the failure. The name `Error` says nothing. */
function failureName(code: unknown, name: unknown, shown: TextFilter): Pick<Failure, "name"> {
  if (typeof code !== "string" || typeof name !== "string" || name === code) return {};
  return name === "" || name === "Error" ? {} : { name: maskAndCut(name, shown, CODE_MAX) };
}

/** STATE-10: a failure always has a message. */
function failureMessage(message: unknown, shown: TextFilter): string {
  return typeof message === "string" && message !== "" ? maskAndCut(message, shown) : "the error has no message";
}

/** A number with more digits is not a status, and could be a secret, which only texts are searched for (DATA-9). */
function isStatus(value: unknown): value is number {
  return Number.isInteger(value) && Math.abs(value as number) < 1000;
}

function isFiniteNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}
