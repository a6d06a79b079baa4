// Checking the values that are kept beside a journal, a few at a time.

import type { ContentHash, ExecutionId, Json, Value } from "@segno/kernel";
import { hashPayload } from "../../idempotency/keys.ts";
import { hashOfText, storedHashes } from "../../store/stored-values.ts";
import type { Examination } from "../../store/store-admin.ts";
import type { Store } from "../../store/store.ts";
import { finding, type Finding } from "./finding.ts";

/** A value is 10 MB at most. */
const AT_ONCE = 8;

/** Values that are missing or changed. One that is missing was removed if the store says so (DATA-11). */
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
        findings.push(finding("VALUE_DAMAGED", `the value ${hash} is not what was written`));
    }
  }
  return findings;
}

/** Whether no block holds a value any more. */
export function checkPayloadRemoval({ blocks }: Examination): boolean {
  return blocks.every(({ body }) => !body.includes('{"kind":"inline","json":'));
}

/** What a start with this input has to have in common with others of its key; nothing where the input is not there. */
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
