import { createHash } from "node:crypto";

import { contentHash, type ContentHash, type Definition, type Json } from "@segno/kernel";

import { canonicalJson } from "./canonical-json.ts";

/** The identity of a definition: sha256 over its canonical JSON (CONTRACT-8). */
export function definitionHash(definition: Definition): ContentHash {
  const digest = createHash("sha256")
    .update(canonicalJson(definition as unknown as Json), "utf8")
    .digest("hex");
  return contentHash(`sha256:${digest}`);
}
