// The text of a definition: canonical JSON, whose hash identifies the definition (CONTRACT-8).

import crypto from "node:crypto";
import { canonicalJson } from "@segno/contract";
import { contentHash, type ContentHash, type Definition, type Json } from "@segno/kernel";

export function definitionText(definition: Definition): string {
  return canonicalJson(definition as unknown as Json);
}

export function canonicalHash(text: string): ContentHash {
  return contentHash(`sha256:${crypto.hash("sha256", text, "hex")}`);
}
