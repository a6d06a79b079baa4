// Classifying errors (FAIL-1): transient or permanent, by name, code and HTTP status along the chain of causes.
//
// Timeouts and cancellations are not found here: only the engine knows whether its own deadline or signal was behind an
// error, and says so itself. An explicit name or code beats a status.

import type { Failure, FailureClass } from "../model/failure.ts";
import { durationMs } from "../model/units.ts";

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
]);

const PERMANENT: ReadonlySet<string> = new Set([
  "ValidationError",
  "AuthenticationError",
  "AuthorizationError",
  "NotFoundError",
  "ConflictError",
  "BadRequest",
  "PermanentError",
  // Mistakes in the program do not go away by running it again.
  "TypeError",
  "ReferenceError",
  "SyntaxError",
  "RangeError",
]);

/** What is looked at of an error; anything may be thrown, so nothing is taken for granted. */
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

/** The first error along the chain that says something decides; one that nobody knows is worth another try. */
export function classifyError(error: unknown): FailureClass {
  for (const each of chainOf(error)) {
    const verdict = byName(each) ?? byStatus(each);
    if (verdict !== undefined) return verdict;
  }
  return "transient";
}

function chainOf(error: unknown): readonly ErrorLike[] {
  const chain: ErrorLike[] = [];
  for (let each = error; isErrorLike(each) && !chain.includes(each) && chain.length < CAUSES_MAX; each = each.cause)
    chain.push(each);
  return chain;
}

function isErrorLike(value: unknown): value is ErrorLike {
  return typeof value === "object" && value !== null;
}

/** A code says more than a name: `fetch` throws a TypeError around a connection that was refused. */
function byName({ name, code, cause }: ErrorLike): FailureClass | undefined {
  const byCode = known(code);
  if (byCode !== undefined) return byCode;
  const isWrapper = name === "TypeError" && isErrorLike(cause);
  return isWrapper ? undefined : known(name);
}

function known(word: unknown): FailureClass | undefined {
  if (typeof word !== "string") return undefined;
  if (TRANSIENT.has(word) || word.startsWith("UND_ERR_")) return "transient";
  return PERMANENT.has(word) ? "permanent" : undefined;
}

function byStatus({ status, statusCode }: ErrorLike): FailureClass | undefined {
  const code = typeof statusCode === "number" ? statusCode : status;
  if (typeof code !== "number") return undefined;
  if (code >= 500 || code === 429) return "transient";
  return code >= 400 ? "permanent" : undefined;
}

/** An error as a failure: what the journal keeps of it. */
export function failureOf(error: unknown, kind: FailureClass = classifyError(error)): Failure {
  if (!isErrorLike(error)) return { class: kind, code: "Error", message: String(error) };
  const { name, code, message, cause } = error;
  const status = [error.statusCode, error.status].find((each) => typeof each === "number");
  const retryAfter = chainOf(error).find((each) => typeof each.retryAfterMs === "number")?.retryAfterMs as
    | number
    | undefined;
  return {
    class: kind,
    code: typeof code === "string" ? code : typeof name === "string" && name !== "" ? name : "Error",
    message: typeof message === "string" ? message : "",
    ...(typeof status === "number" ? { status } : {}),
    ...(retryAfter === undefined ? {} : { retryAfter: durationMs(Math.max(0, Math.round(retryAfter))) }),
    ...(isErrorLike(cause) && !chainOf(cause).includes(error) ? { cause: failureOf(cause, kind) } : {}),
  };
}
