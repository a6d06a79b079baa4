// Checks the values that are stored outside the journal, a few at a time.

import type { ContentHash, ExecutionId, Json, Value } from "@segno/kernel";
import { hashPayload } from "../../idempotency/keys.ts";
import { hashOfText, storedHashes } from "../../store/stored-values.ts";
import type { Examination } from "../../store/store-admin.ts";
import type { Store } from "../../store/store.ts";
import { finding, type Finding } from "./finding.ts";

/** Bounds memory: one value has at most 10 MB. */
const AT_ONCE = 8;

/**
 * Finds missing or changed values. A missing value counts as removed if the store says that payloads were removed
 * (DATA-11).
 */
export async function checkValues(store: Pick<Store, "contents">, examined: Examination): Promise<readonly Finding[]> {
  const { id, blocks, payloadsRemovedAt } = examined;
  const named = storedHashes(blocks);
  const findings: Finding[] = [];
  for (let from = 0; from < named.length; from += AT_ONCE) {
    const hashes = named.slice(from, from + AT_ONCE);
    const bodies = await store.contents({ kind: "values", execution: id, hashes });
    for (const hash of hashes) {
      const body = bodies.get(hash);
      if (body === undefined && payloadsRemovedAt !== undefined) continue;
      if (body === undefined) findings.push(finding("VALUE_DAMAGED", `the value ${hash} is not in the store`));
      else if (hashOfText(body) !== hash)
        findings.push(finding("VALUE_DAMAGED", `the value ${hash} does not match its hash`));
    }
  }
  return findings;
}

/** True if no block holds a value any more. */
export function checkPayloadRemoval({ blocks }: Examination): boolean {
  return blocks.every(({ body }) => !body.includes('{"kind":"inline","json":'));
}

/** Hashes an input as `start` does when it compares starts with the same key; undefined if the input is missing. */
export async function payloadIn(
  store: Pick<Store, "contents">,
  execution: ExecutionId,
  workflow: string,
  input: Value,
): Promise<ContentHash | undefined> {
  if (input.kind === "inline") return hashPayload(workflow, input.json);
  if (input.kind !== "stored") return undefined;
  const bodies = await store.contents({ kind: "values", execution, hashes: [input.hash] });
  const body = bodies.get(input.hash);
  return body === undefined || hashOfText(body) !== input.hash
    ? undefined
    : hashPayload(workflow, JSON.parse(body) as Json);
}
