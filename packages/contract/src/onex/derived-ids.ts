import { createHash } from "node:crypto";

/**
 * A source of ids for steps without one. The same text gives the same ids, so that a plan, a run and a second run agree on the
 * ids of steps. The ids are UUIDs of version 8, which is for ids that are derived from data.
 */
export function derivedIds(text: string): () => string {
  const digest = sha256(text);
  let count = 0;
  return () => {
    const hex = sha256(`${digest} ${count++}`);
    const variant = "89ab"[Number.parseInt(hex[16]!, 16) % 4]!;
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  };
}

function sha256(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex");
}
