// Foreign rows: a store may come from any source. An engine that opens it ignores these rows and runs everything else.

import { contentHash, epochMs, executionId, type EpochMs } from "@segno/kernel";
import type { Append } from "../../../src/store/store.ts";
import type { SharedStorage } from "../../../src/testing/faulty-store.ts";

export const PLANTED = "planted";

const UNKNOWN_DEFINITION = contentHash(`sha256:${"0".repeat(64)}`);

/** A journal with a broken chain, an invalid journal, and messages that are no commands. */
export async function plantRows(disk: SharedStorage, now: EpochMs): Promise<void> {
  const created = { v: 1, seq: 1, at: now, kind: "execution.created", execution: `${PLANTED}-0`, workflow: "flow0" };
  await disk.write({ appends: [planted(0, now, JSON.stringify(created))], consumedMessages: [] });
  await disk.write({ appends: [planted(1, now, "no journal at all")], consumedMessages: [] });
  for (const body of ["", "{", '{"kind":"start"}', '{"kind":"dance"}'])
    await disk.post({ execution: executionId(`${PLANTED}-0`), body, postedAt: now });
}

function planted(number: number, now: EpochMs, body: string): Append {
  return {
    execution: executionId(`${PLANTED}-${number}`),
    afterSeq: 0,
    expectedEpoch: 0,
    epoch: 1,
    block: { firstSeq: 1, count: 1, body, hash: "forged" },
    projection: {
      workflow: "flow0",
      definition: UNKNOWN_DEFINITION,
      status: "running",
      seq: 1,
      head: "forged",
      createdAt: now,
      updatedAt: now,
      wakeAt: epochMs(now - 1),
      priority: 0,
      correlationId: PLANTED,
      stepsTotal: 1,
      stepsEnded: 0,
    },
    values: [],
    definitions: [],
  };
}
