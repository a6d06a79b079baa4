// Workflows with approvals or signals, and the parts of a journal that show their results.

import { loadContract } from "@segno/contract";
import type { Definition } from "@segno/kernel";
import type { MemoryStore } from "../../src/store/memory/memory-store.ts";

export function contract(yaml: string): Definition {
  return loadContract(yaml);
}

/** One question, which two of three people must approve. */
export const RELEASE: Definition = contract(`
name: release
steps:
  - { id: ask, approve: { by: [ann, bob, cleo], quorum: 2, expires: 2h, message: "ship \${ input.tag }?" } }
  - { id: ship, wait: { for: 1ms }, dependsOn: [ask] }
output: \${ steps.ask.output }
`);

/** One question that any person may answer. */
export const ANYBODY: Definition = contract(`
name: anybody
steps: [{ id: ask, approve: {} }, { id: other, wait: { signal: go } }]
`);

/** The kinds of the events in each commit, in order of commits. */
export async function commits(store: MemoryStore, id: string): Promise<readonly (readonly string[])[]> {
  const loaded = await store.load(id as never);
  if (loaded?.kind !== "execution") return [];
  return loaded.blocks.map(({ body }) =>
    body.split("\n").map((line) => (JSON.parse(line) as { readonly kind: string }).kind),
  );
}
