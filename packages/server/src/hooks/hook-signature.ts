// Checks the signature of a request over the bytes of its body, before anything else of it is used (HK1).

import { createHmac, timingSafeEqual } from "node:crypto";

import { SegnoError } from "@segno/kernel";

import type { HookSignature } from "./hook.ts";

const TOLERANCE_MS = 5 * 60 * 1000;
const KEY_PREFIX = "whsec_";

/** A request as a signature covers it. */
export interface SignedRequest {
  readonly rawBody: Uint8Array;
  readonly header: (name: string) => string | undefined;
}

/** Throws SIGNATURE_INVALID if the request was not signed with the secret, or at another time. */
export function checkSignature(
  request: SignedRequest,
  signature: HookSignature,
  secret: string,
  now: number = Date.now(),
): void {
  if (signature.kind === "body") checkBodySignature(request, signature, secret);
  else checkStandardSignature(request, signature.toleranceMs ?? TOLERANCE_MS, secret, now);
}

function checkBodySignature(
  { rawBody, header }: SignedRequest,
  { header: name, prefix = "" }: Extract<HookSignature, { readonly kind: "body" }>,
  secret: string,
): void {
  const given = header(name.toLowerCase()) ?? "";
  const wanted = prefix + createHmac("sha256", keyOf(secret)).update(rawBody).digest("hex");
  if (!isSame(given, wanted)) throw invalid();
}

function checkStandardSignature(
  { rawBody, header }: SignedRequest,
  toleranceMs: number,
  secret: string,
  now: number,
): void {
  const id = header("webhook-id") ?? "";
  const timestamp = header("webhook-timestamp") ?? "";
  const isInTime = /^\d{1,12}$/u.test(timestamp) && Math.abs(now - Number(timestamp) * 1000) <= toleranceMs;
  const wanted = createHmac("sha256", keyOf(secret)).update(`${id}.${timestamp}.`).update(rawBody).digest("base64");
  // Several signatures are possible while a secret is being replaced.
  const isSigned = (header("webhook-signature") ?? "").split(" ").some((each) => isSame(each, `v1,${wanted}`));
  if (id === "" || !isSigned) throw invalid();
  if (!isInTime) throw new SegnoError("SIGNATURE_INVALID", "the signature is from another time than now");
}

/** A secret with the prefix `whsec_` is the base64 of the key; any other secret is the key itself. */
function keyOf(secret: string): Buffer {
  return secret.startsWith(KEY_PREFIX) ? Buffer.from(secret.slice(KEY_PREFIX.length), "base64") : Buffer.from(secret);
}

function isSame(given: string, wanted: string): boolean {
  const [first, second] = [Buffer.from(given), Buffer.from(wanted)];
  return first.length === second.length && timingSafeEqual(first, second);
}

function invalid(): SegnoError {
  return new SegnoError("SIGNATURE_INVALID", "the request has no valid signature");
}
