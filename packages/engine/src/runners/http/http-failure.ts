// The failure of a request that got no usable response (FAIL-1).
//
// A `SegnoError` without a cause is about the request, the address or the response, and is permanent. A `SegnoError`
// with a cause wraps a network error. It is transient, unless the code of the network error matches
// `PERMANENT_CODES`.

import { toFailure, SegnoError, type Failure, type FailureClass, type TextFilter } from "@segno/kernel";

export function unansweredError(request: string, cause: unknown): SegnoError {
  return new SegnoError("HTTP_FAILED", `${request} got no response: ${errorReason(cause)}`, { cause });
}

export function failureOfError(error: unknown, maskText: TextFilter): Failure {
  if (!(error instanceof SegnoError)) return failureOfError(unansweredError("the request", error), maskText);
  const { code, message, cause } = error;
  if (cause === undefined) return { class: "permanent", code, message };
  const failureClass = networkFailureClass(errorCode(cause));
  return { class: failureClass, code, message, cause: toFailure(cause, maskText, failureClass) };
}

/** Certificate errors, and requests and responses that violate the protocol. */
const PERMANENT_CODES =
  /^(?:CERT_|CRL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|ERR_TLS_CERT_|HOSTNAME_MISMATCH$|INVALID_(?:CA|PURPOSE)$|UND_ERR_(?:INVALID_ARG|HEADERS_OVERFLOW|NOT_SUPPORTED)$)/u;

function networkFailureClass(code: string): FailureClass {
  return PERMANENT_CODES.test(code) ? "permanent" : "transient";
}

interface NetworkError {
  readonly code?: unknown;
  readonly message?: unknown;
}

export function errorCode(error: unknown): string {
  const code = (error as NetworkError | undefined)?.code;
  return typeof code === "string" ? code : "";
}

/** A host with several addresses fails with one error per address, and with no message of its own. */
function errorReason(error: unknown): string {
  const first = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  const message = (first as NetworkError | undefined)?.message;
  return typeof message === "string" && message !== "" ? message : errorCode(error) || "no reason was given";
}
