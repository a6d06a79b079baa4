// Values stored outside the journal, by hash. The chain covers their hashes, so a value that does not match its hash is
// as damaged as a changed line (JOURNAL-4).

import crypto from "node:crypto";
import { contentHash, isJsonObject, replaceValues, type ContentHash, type ExecutionId, type Json } from "@segno/kernel";
import { StoreFault } from "./store-fault.ts";
import type { Block, Store } from "./store.ts";

/** Every line with a reference to a stored value contains this; data of users may contain it, too. */
const STORED = '"kind":"stored"';

export function hashOfText(text: string): ContentHash {
  return contentHash(`sha256:${crypto.hash("sha256", text, "hex")}`);
}

/** Reads the values that the store has. Throws if one does not match its hash. */
export async function readValues(
  store: Pick<Store, "contents">,
  execution: ExecutionId,
  hashes: readonly ContentHash[],
): Promise<ReadonlyMap<ContentHash, string>> {
  const bodies = await store.contents({ kind: "values", execution, hashes });
  for (const [named, body] of bodies)
    if (hashOfText(body) !== named)
      throw new StoreFault("STORE_CORRUPT", `the value ${named} of the execution ${execution} does not match its hash`);
  return bodies;
}

/** The values that the blocks of an execution name, each once. */
export function storedHashes(blocks: readonly Block[]): readonly ContentHash[] {
  const named = new Set<ContentHash>();
  for (const { body } of blocks) for (const line of body.split("\n")) if (line.includes(STORED)) addStored(line, named);
  return [...named];
}

/** A damaged line names nothing; reading it reports the damage. */
function addStored(line: string, named: Set<ContentHash>): void {
  const event = tryParse(line);
  if (!isJsonObject(event)) return;
  replaceValues(event, (value) => {
    if (value.kind === "stored" && HASH.test(value.hash)) named.add(contentHash(value.hash));
    return null;
  });
}

const HASH = /^sha256:[0-9a-f]{64}$/u;

function tryParse(line: string): Json {
  try {
    return JSON.parse(line) as Json;
  } catch {
    return null;
  }
}
