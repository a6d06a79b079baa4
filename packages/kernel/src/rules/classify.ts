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

/** A code says more than a name, and a cause more than a TypeError: `fetch` throws one around a refused connection. */
function byName(error: ErrorLike): FailureClass | undefined {
  return knownClass(error.code) ?? (isWrapper(error) ? undefined : knownClass(error.name));
}

function isWrapper({ name, cause }: ErrorLike): boolean {
  return name === "TypeError" && isErrorLike(cause);
}

/** What `fetch` says when the network, and not the program, is to blame. */
const FETCH_MESSAGES: ReadonlySet<unknown> = new Set(["fetch failed", "terminated"]);

/** A TypeError whose causes say nothing either is a mistake in the program after all. */
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

/** 408 (request timeout) and 425 (too early) ask for another try in so many words, as 429 does. */
function isTransientStatus(status: number): boolean {
  return status >= 500 || status === 408 || status === 425 || status === 429;
}

/** Longer messages are cut: a journal tells what went wrong, it does not keep what somebody put into an error. */
const MESSAGE_MAX = 8192;
/** A year. Whoever asks for more patience than that has made a mistake. */
const RETRY_AFTER_MAX_MS = 31_536_000_000;

/** What may be shown of a text. It is asked before a text is cut, so that a cut leaves no half of what may not be shown. */
export type TextFilter = (text: string) => string;

const ALL: TextFilter = (text) => text;

/** An error as a failure: what the journal keeps of it, as JSON, with no more causes than were looked at. */
export function toFailure(error: unknown, kind: FailureClass = classifyError(error), shown: TextFilter = ALL): Failure {
  if (!isErrorLike(error)) return { class: kind, code: "Error", message: failureMessage(String(error), shown) };
  const chain = causeChain(error);
  return chain.reduceRight<Failure | undefined>(
    (cause, _, place) => ownFailure(chain.slice(place), kind, cause, shown),
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
  const answered = [statusCode, status].find(isFiniteNumber);
  const retryAfter = chain.map((each) => each.retryAfterMs).find(isFiniteNumber);
  return {
    class: kind,
    code: typeof code === "string" ? code : typeof name === "string" && name !== "" ? name : "Error",
    message: failureMessage(message, shown),
    ...(answered === undefined ? {} : { status: answered }),
    ...(retryAfter === undefined
      ? {}
      : { retryAfter: durationMs(Math.min(Math.max(0, Math.round(retryAfter)), RETRY_AFTER_MAX_MS)) }),
    ...(cause === undefined ? {} : { cause }),
  };
}

/** STATE-10: a failure always says something. */
function failureMessage(message: unknown, shown: TextFilter): string {
  if (typeof message !== "string" || message === "") return "the error has no message";
  const text = shown(message);
  return (text.length <= MESSAGE_MAX ? text : `${text.slice(0, MESSAGE_MAX)}…`).toWellFormed();
}

function isFiniteNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}
