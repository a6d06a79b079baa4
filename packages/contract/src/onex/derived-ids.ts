import { createHash } from "node:crypto";

/**
 * A source of ids for steps that have none, which gives the same ones for the same text: so a plan, a run and its repetition
 * speak of the same steps. They have the form of a UUID of version 8, which is for ids that are made of something.
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
