// A workload with every kind of write, deterministic by index.

import type { StoredDocument } from "../../src/store/document-store.ts";
import type { Append, Store } from "../../src/store/store.ts";
import { append, at, batch, content, message, type Change } from "./contract/sample.ts";

type Write = (store: Store) => Promise<unknown>;

const IDS = ["a", "b", "c"];

/**
 * In rounds: three executions are extended alone and together, with values, inbox messages, timers and changes of
 * status; a document is created and replaced, and an older one is removed.
 */
export function workload(rounds: number): Write[] {
  return Array.from({ length: rounds }, (_, round) => round).flatMap(listWrites);
}

function listWrites(round: number): Write[] {
  const after = 8 * round;
  const value = content(`value of round ${round} ${"v".repeat(1500)}`);
  const definition = content(`definition ${round % 3} ${"d".repeat(700)}`);
  const all = (offset: number, change: Change = {}): Append[] => IDS.map((id) => append(id, after + offset, change));
  return [
    (store) => store.commit(batch(...all(0, { definitions: [definition] }))),
    (store) => store.commit(batch(append("a", after + 2, { body: "x".repeat(900), values: [value] }))),
    (store) => store.commit(batch(append("b", after + 2, { projection: { wakeAt: at(round), status: "paused" } }))),
    (store) => store.commit(batch(append("c", after + 2))),
    (store) => store.commit(batch(...all(4))),
    (store) => store.post({ ...message("b", `message ${round}`), definitions: [content(`posted ${round}`)] }),
    takeAll(after + 6),
    (store) => store.documents!.put(document(round), null),
    (store) => store.documents!.put(document(round, 3000), document(round).body),
    (store) => store.documents!.remove("workload", `key ${round - 2}`),
  ];
}

function document(round: number, length = 400): StoredDocument {
  return { kind: "workload", key: `key ${round}`, body: JSON.stringify(`${round}`.padEnd(length, "d")) };
}

/** Takes the whole inbox with the last appends of a round. */
function takeAll(after: number): Write {
  return async (store) => {
    const { messages } = await store.poll();
    await store.commit({ appends: IDS.map((id) => append(id, after)), consumedMessages: messages.map(({ id }) => id) });
  };
}
