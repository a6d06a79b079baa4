import { createHash } from "node:crypto";

/** A strong, quoted entity tag: the first 16 hexadecimal digits of the SHA-256 of the body (HTTP-2). */
export function entityTag(body: string): string {
  return `"${createHash("sha256").update(body).digest("hex").slice(0, 16)}"`;
}

/** Whether `If-None-Match` names the tag. A weak tag matches too: the comparison is weak for this header (RFC 9110). */
export function matchesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === "*") return true;
  return header.split(",").some((each) => each.trim().replace(/^W\//u, "") === tag);
}
