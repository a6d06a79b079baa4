// The signature of a request, in the form of Standard Webhooks: HMAC-SHA256 over the id, the time and the body.
//
//   WS1. The id follows from the body, so that a batch that is sent again has the same id.
//   WS2. The time is that of the attempt: a receiver refuses old requests, so a copied request cannot be replayed later.

import { createHash, createHmac } from "node:crypto";

const PREFIX = "whsec_";

/** A secret with the prefix `whsec_` is the base64 of the key; any other secret is the key itself. */
function keyOf(secret: string): Buffer {
  return secret.startsWith(PREFIX) ? Buffer.from(secret.slice(PREFIX.length), "base64") : Buffer.from(secret);
}

/** The id of a request with this body (WS1). */
function webhookId(body: Uint8Array): string {
  return `msg_${createHash("sha256").update(body).digest("hex").slice(0, 32)}`;
}

/** The headers of a request that is sent at this time, in milliseconds. */
export function webhookHeaders(
  body: Uint8Array,
  nowMs: number,
  secret: string | undefined,
): ReadonlyMap<string, string> {
  const id = webhookId(body);
  const timestamp = String(Math.floor(nowMs / 1000));
  const headers = new Map([
    ["webhook-id", id],
    ["webhook-timestamp", timestamp],
  ]);
  if (secret === undefined) return headers;
  const signature = createHmac("sha256", keyOf(secret)).update(`${id}.${timestamp}.`).update(body).digest("base64");
  return headers.set("webhook-signature", `v1,${signature}`);
}
