import type { Json } from "@segno/kernel";
import canonicalize from "canonicalize";

/** RFC 8785: the same value gives the same text, whatever the order of its keys. */
export function canonicalJson(value: Json): string {
  return canonicalize(value)!;
}
