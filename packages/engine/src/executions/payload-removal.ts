// An execution without payloads cannot be retried, because a new round needs its values (DATA-11).
//
// The check runs before a retry is delivered. If the payloads are removed between the check and the delivery, the store
// refuses the append of the new round (K2), and the execution is evicted.

import { SegnoError, type ExecutionId } from "@segno/kernel";
import type { Store } from "../store/store.ts";

/** Throws `PAYLOAD_REMOVED` if the payloads of an execution were removed. */
export async function assertPayloads(store: Pick<Store, "load">, id: ExecutionId): Promise<void> {
  const loaded = await store.load(id);
  if (loaded?.kind !== "execution" || loaded.payloadsRemovedAt === undefined) return;
  throw new SegnoError(
    "PAYLOAD_REMOVED",
    `the execution ${id} cannot be retried: its values were removed from the store`,
  );
}
