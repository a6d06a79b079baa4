// What cannot be done any more with an execution whose payloads were removed (DATA-11): a new round needs its values.
//
// Whoever asks for a new round is told before it is delivered. Where the payloads go between the two, the store refuses what
// the round would write (K2), and the execution is let go.

import { SegnoError, type ExecutionId } from "@segno/kernel";
import type { Store } from "../store/store.ts";

/** Throws `PAYLOAD_REMOVED` where the payloads of an execution were removed. */
export async function assertPayloads(store: Pick<Store, "load">, id: ExecutionId): Promise<void> {
  const loaded = await store.load(id);
  if (loaded?.kind !== "execution" || loaded.payloadsRemovedAt === undefined) return;
  throw new SegnoError(
    "PAYLOAD_REMOVED",
    `the execution ${id} cannot begin a new round: the values that it would need were removed from the store`,
  );
}
