// The append of a turn: the block of its events, and the contents and the projection that go with it.

import type { Event } from "@segno/kernel";
import { encodeBlock } from "../journal/block-encoding.ts";
import type { Append, Content } from "../store/store.ts";
import type { LiveExecution } from "./live-execution.ts";
import { toProjection } from "./projection.ts";
import type { TurnStorage } from "./turn-loop-ports.ts";

type Definitions = Pick<TurnStorage, "definitionContent">;

const NO_DEFINITIONS: readonly Content[] = Object.freeze([]);

export function toAppend(execution: LiveExecution, events: readonly Event[], storage: Definitions): Append {
  const { id, expectedEpoch, leaseEpoch, state, startContents } = execution;
  const { block, values } = encodeBlock(events, execution.head);
  execution.onAppendSent(block.hash);
  const projection = toProjection(execution, block.hash);
  const afterSeq = state.seq - events.length;
  const definitions = calledDefinitions(events, storage);
  const append = { execution: id, afterSeq, expectedEpoch, epoch: leaseEpoch, block, projection, values, definitions };
  if (startContents === undefined) return append;
  const { keyClaim } = startContents;
  const all = [...startContents.definitions, ...definitions];
  return {
    ...append,
    definitions: all,
    ...(keyClaim === undefined ? {} : { idempotency: keyClaim.entry, previousWithKey: keyClaim.previousWithKey }),
  };
}

/**
 * The definitions of newly opened sub-workflows: an execution keeps the definitions that it started with
 * (CONTRACT-8).
 */
function calledDefinitions(events: readonly Event[], storage: Definitions): readonly Content[] {
  if (events.every(({ kind }) => kind !== "step.expanded")) return NO_DEFINITIONS;
  return events.flatMap((event) =>
    event.kind === "step.expanded" && event.children.kind === "workflow"
      ? [storage.definitionContent(event.children.definition)]
      : [],
  );
}
