// The events of one execution: derived from its journal, past and future, wherever it runs.

import type { Engine } from "@segno/engine";
import type { ContentHash, ExecutionId, Json } from "@segno/kernel";
import { DerivedEvents } from "./derive-events.ts";
import type { CodeEvent } from "./event-port.ts";

/**
 * All events of a code workflow from its beginning, in order and each once, until the execution ends or the journal has
 * been read up to this sequence number.
 */
export async function* codeEvents(
  engine: Engine,
  executionId: string,
  upTo: number = Number.POSITIVE_INFINITY,
): AsyncGenerator<CodeEvent> {
  const { extensions } = engine;
  const handle = await engine.get(executionId);
  let values: ReadonlyMap<ContentHash, Json> = new Map();
  let derived: DerivedEvents | undefined;
  for await (const { event } of handle.events()) {
    if (event.kind === "execution.created") {
      const state = await extensions.states.initial(event.definition);
      derived = new DerivedEvents(state, (hash) => values.get(hash));
    }
    if (derived === undefined) continue;
    const needed = derived.neededValues(event);
    if (needed.length > 0) values = await extensions.readValues(handle.id as ExecutionId, needed);
    yield* derived.apply(event);
    if (event.seq >= upTo) return;
  }
}
