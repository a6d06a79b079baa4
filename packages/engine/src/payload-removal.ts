// What cannot be done any more with an execution whose payloads were removed (DATA-11): a new round needs its values.

import { SegnoError, type ExecutionId } from "@segno/kernel";
import type { Store } from "./store/store.ts";
import type { Delivery } from "./turn/delivery.ts";
import type { LiveExecution } from "./turn/live-execution.ts";

/** Throws `PAYLOAD_REMOVED` where the payloads of an execution were removed. */
export async function assertPayloads(store: Pick<Store, "load">, id: ExecutionId): Promise<void> {
  const loaded = await store.load(id);
  if (loaded?.kind === "execution" && loaded.payloadsRemovedAt !== undefined) throw payloadsRemoved(id);
}

/** Why something cannot be delivered to an execution, if its payloads were removed. All but a new round is answered. */
export function removalRefusal(
  { id, payloadsRemovedAt }: LiveExecution,
  { happening }: Delivery,
): SegnoError | undefined {
  return payloadsRemovedAt !== undefined && happening.kind === "retry" ? payloadsRemoved(id) : undefined;
}

function payloadsRemoved(id: ExecutionId): SegnoError {
  return new SegnoError(
    "PAYLOAD_REMOVED",
    `the execution ${id} cannot begin a new round: the values that it would need were removed from the store`,
  );
}
