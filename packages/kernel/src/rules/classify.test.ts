import { describe, expect, it } from "vitest";

import { PermanentError, RetryAfterError } from "../errors/user-errors.ts";
import type { FailureClass } from "../model/failure.ts";
import { classifyError, toFailure } from "./classify.ts";

const named = (name: string): Error => Object.assign(new Error("it broke"), { name });
const coded = (code: unknown): Error => Object.assign(new Error("it broke"), { code });
const answered = (status: unknown): Error => Object.assign(new Error("it broke"), { statusCode: status });

type Row = readonly [what: string, error: unknown, kind: FailureClass];

const TRANSIENT_WORDS = "ECONNREFUSED ETIMEDOUT ENOTFOUND NetworkError TimeoutError ServiceUnavailable TooManyRequests";
const PERMANENT_WORDS =
  "ValidationError AuthenticationError AuthorizationError NotFoundError ConflictError BadRequest PermanentError";
const MISTAKES = "TypeError ReferenceError SyntaxError RangeError";
const NODE_CODES = "ECONNRESET EPIPE EAI_AGAIN UND_ERR_CONNECT_TIMEOUT UND_ERR_SOCKET ETIMEDOUT";

const BY_NAME: readonly Row[] = [
  ...TRANSIENT_WORDS.split(" ").map((word): Row => [`the name ${word}`, named(word), "transient"]),
  ...PERMANENT_WORDS.split(" ").map((word): Row => [`the name ${word}`, named(word), "permanent"]),
  ...MISTAKES.split(" ").map((word): Row => [`the mistake ${word}`, named(word), "permanent"]),
  ["the name that nobody knows", named("StrangeError"), "transient"],
];

const BY_CODE: readonly Row[] = [
  ...NODE_CODES.split(" ").map((word): Row => [`the code ${word}`, coded(word), "transient"]),
  ["a code that is a known permanent name", coded("ValidationError"), "permanent"],
  ["a code that is a number", coded(20), "transient"],
  ["a code that nobody knows", coded("E_STRANGE"), "transient"],
];

const BY_STATUS: readonly Row[] = [
  ["500", answered(500), "transient"],
  ["503", answered(503), "transient"],
  ["429", answered(429), "transient"],
  ["408, a request timeout", answered(408), "transient"],
  ["425, too early", answered(425), "transient"],
  ["400", answered(400), "permanent"],
  ["404", answered(404), "permanent"],
  ["499", answered(499), "permanent"],
  ["399, which says nothing", answered(399), "transient"],
  ["a status under `status`", Object.assign(new Error("no"), { status: 403 }), "permanent"],
  ["a status that is text", answered("404"), "transient"],
  ["a name beats a status", Object.assign(named("TooManyRequests"), { statusCode: 400 }), "transient"],
  ["a permanent name beats a status", Object.assign(named("ConflictError"), { statusCode: 503 }), "permanent"],
  ["a code beats a status", Object.assign(coded("ECONNRESET"), { statusCode: 404 }), "transient"],
  ["an unknown name does not", Object.assign(named("HttpError"), { statusCode: 404 }), "permanent"],
];

const ring = (length: number): Error => {
  const errors = Array.from({ length }, (_, place) => new Error(`link ${place}`));
  errors.forEach((error, place) => (error.cause = errors[(place + 1) % length]));
  return errors[0]!;
};

const ALONG_CAUSES: readonly Row[] = [
  ["a cause decides where the error says nothing", new Error("outer", { cause: answered(404) }), "permanent"],
  ["the first that says something decides", new Error("outer", { cause: named("BadRequest") }), "permanent"],
  [
    "the outer error decides before its cause",
    Object.assign(answered(503), { cause: named("BadRequest") }),
    "transient",
  ],
  ["a cause of a cause", new Error("a", { cause: new Error("b", { cause: coded("EPIPE") }) }), "transient"],
  ["a failed fetch", new TypeError("fetch failed", { cause: coded("ECONNREFUSED") }), "transient"],
  [
    "a failed fetch whose cause nobody knows",
    new TypeError("fetch failed", { cause: coded("EHOSTUNREACH") }),
    "transient",
  ],
  ["a TypeError without a cause", new TypeError("x is not a function"), "permanent"],
  ["a TypeError whose cause says nothing", new TypeError("bad", { cause: new Error("why") }), "permanent"],
  ["a TypeError whose cause says something", new TypeError("bad", { cause: answered(500) }), "transient"],
  ["a mistake that was wrapped", new Error("outer", { cause: new RangeError("too far") }), "permanent"],
  ["text that is not JSON, as a cause", new Error("outer", { cause: new SyntaxError("not JSON") }), "permanent"],
  [
    "the same behind a name that decides",
    new RetryAfterError("later", 5, { cause: new SyntaxError("not JSON") }),
    "transient",
  ],
  ["a ring of causes", ring(2), "transient"],
  ["a long ring of causes", ring(40), "transient"],
];

const ANYTHING: readonly Row[] = [
  ["text", "it broke", "transient"],
  ["nothing", undefined, "transient"],
  ["null", null, "transient"],
  ["an object without a prototype", Object.assign(Object.create(null), { name: "BadRequest" }), "permanent"],
  ["a name that is no text", { name: 5 }, "transient"],
];

describe.each([
  ["names", BY_NAME],
  ["codes", BY_CODE],
  ["statuses", BY_STATUS],
  ["causes", ALONG_CAUSES],
  ["whatever is thrown", ANYTHING],
])("FAIL-1 classifies by %s (rulings 25 and 26)", (_, rows) => {
  it.each(rows)("%s", (_what, error, kind) => {
    expect(classifyError(error)).toBe(kind);
    expect(toFailure(error, unmasked).class).toBe(kind);
  });
});

const unmasked = (text: string): string => text;

describe("FAIL-1 errors that user code classifies itself", () => {
  it("FAIL-1 a PermanentError is permanent, whatever caused it", () => {
    expect(classifyError(new PermanentError("no", { cause: coded("ECONNRESET") }))).toBe("permanent");
  });

  it("FAIL-1 FAIL-3 a RetryAfterError is transient and says when", () => {
    expect(toFailure(new RetryAfterError("busy", 1500.4), unmasked)).toEqual({
      class: "transient",
      code: "RetryAfterError",
      message: "busy",
      retryAfter: 1500,
    });
  });

  it("FAIL-3 a wrapped RetryAfterError says when too", () => {
    expect(toFailure(new Error("outer", { cause: new RetryAfterError("busy", 70) }), unmasked).retryAfter).toBe(70);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY])("FAIL-3 a Retry-After of %s is not written down", (wait) => {
    expect(toFailure(new RetryAfterError("busy", wait), unmasked)).not.toHaveProperty("retryAfter");
  });

  it("FAIL-3 a Retry-After in the past is now", () => {
    expect(toFailure(new RetryAfterError("busy", -5), unmasked).retryAfter).toBe(0);
  });
});

describe("FAIL-5 the part of an error that the journal keeps", () => {
  it("FAIL-5 keeps code, message, status and causes", () => {
    const error = Object.assign(new Error("outer", { cause: named("BadRequest") }), {
      code: "E_OUTER",
      statusCode: 418,
    });
    expect(toFailure(error, unmasked)).toEqual({
      class: "permanent",
      code: "E_OUTER",
      message: "outer",
      status: 418,
      cause: { class: "permanent", code: "BadRequest", message: "it broke" },
    });
  });

  it("FAIL-1 the engine says timeout and cancelled itself", () => {
    expect(toFailure(named("BadRequest"), unmasked, "timeout").class).toBe("timeout");
    expect(toFailure(named("AbortError"), unmasked, "cancelled").class).toBe("cancelled");
  });

  it("FAIL-5 keeps a thrown value that is not an error", () => {
    expect(toFailure("it broke", unmasked)).toEqual({ class: "transient", code: "Error", message: "it broke" });
    expect(toFailure({}, unmasked)).toEqual({ class: "transient", code: "Error", message: "the error has no message" });
  });

  it.each([
    ["a ring of two causes", ring(2), 2],
    ["a ring of forty causes", ring(40), 16],
    ["a chain of 100,000 causes", chain(100_000), 16],
  ])("FAIL-5 keeps a bounded part of %s", (_, error, depth) => {
    let kept = 0;
    for (let each = toFailure(error, unmasked) as { cause?: object } | undefined; each !== undefined; each = each.cause)
      kept++;
    expect(kept).toBe(depth);
  });

  it("JOURNAL-4 a failure survives being written as JSON", () => {
    const failure = toFailure(
      Object.assign(answered(Number.NaN), { cause: ring(3), retryAfterMs: Number.NaN }),
      unmasked,
    );
    expect(JSON.parse(JSON.stringify(failure))).toEqual(failure);
  });
});

function chain(length: number): Error {
  let error = new Error("last");
  for (let link = 1; link < length; link++) error = new Error("link", { cause: error });
  return error;
}
