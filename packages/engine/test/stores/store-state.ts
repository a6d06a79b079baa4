// The visible state of a store as text: two states are equal if their texts are.

import type { Store } from "../../src/store/store.ts";

export async function readState(store: Store): Promise<string> {
  const { executions } = await store.find({ limit: 1000 });
  const journals = await Promise.all(executions.map(({ id }) => store.load(id)));
  const { messages } = await store.poll();
  const documents = await store.documents?.list("workload", { limit: 1000 });
  return JSON.stringify({ executions, journals, messages, documents });
}
