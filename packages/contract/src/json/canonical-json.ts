import type { Json } from "@segno/kernel";
import canonicalize from "canonicalize";

/** Writes canonical JSON (RFC 8785): equal values give the same text, independent of the order of keys. */
export function canonicalJson(value: Json): string {
  return canonicalize(value)!;
}
