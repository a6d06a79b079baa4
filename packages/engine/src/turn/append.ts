// The append of a turn: the block of its events, and the contents and the projection that go with it.

import type { ContentHash, Event } from "@segno/kernel";
import { encodeBlock } from "../journal/block-encoding.ts";
import type { Append, Content } from "../store/store.ts";
import type { LiveExecution } from "./live-execution.ts";
import { toProjection } from "./projection.ts";

type DefinitionLookup = (hash: ContentHash) => Content;

const NO_DEFINITIONS: readonly Content[] = Object.freeze([]);

export function toAppend(execution: LiveExecution, events: readonly Event[], definition: DefinitionLookup): Append {
  const { id, expectedEpoch, epoch, state, firstAppend } = execution;
  const { block, values } = encodeBlock(events, execution.head);
  execution.onAppendSent(block.hash);
  const projection = toProjection(execution, block.hash);
  const after = state.seq - events.length;
  const definitions = openedDefinitions(events, definition);
  const append = { execution: id, after, expectedEpoch, epoch, block, projection, values, definitions };
  if (firstAppend === undefined) return append;
  const { key } = firstAppend;
  const all = [...firstAppend.definitions, ...definitions];
  return {
    ...append,
    definitions: all,
    ...(key === undefined ? {} : { idempotency: key.entry, keyAfter: key.after }),
  };
}

/**
 * The definitions of newly opened sub-workflows: an execution keeps the definitions that it started with
 * (CONTRACT-8).
 */
function openedDefinitions(events: readonly Event[], definition: DefinitionLookup): readonly Content[] {
  if (events.every(({ kind }) => kind !== "step.expanded")) return NO_DEFINITIONS;
  return events.flatMap((event) =>
    event.kind === "step.expanded" && event.children.kind === "workflow" ? [definition(event.children.definition)] : [],
  );
}
