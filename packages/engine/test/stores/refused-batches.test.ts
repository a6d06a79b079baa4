// How the committer handles a batch that the store refuses (K8).

import { expect, it } from "vitest";
import type { CommitBatch, Store } from "../../src/store/store.ts";
import { MemoryStore } from "../../src/store/memory/memory-store.ts";
import { VirtualEnvironment, VirtualTime } from "../../src/testing/virtual-environment.ts";
import { CommitMetrics } from "../../src/metrics/commit-metrics.ts";
import { Committer } from "../../src/turn/committer.ts";
import { expectAt } from "./contract/claim.ts";
import { append, batch, message } from "./contract/sample.ts";

function watched(store: Store): { readonly committer: Committer; readonly sizes: number[] } {
  const sizes: number[] = [];
  const commit = (sent: CommitBatch): Promise<void> => {
    sizes.push(sent.appends.length);
    return store.commit(sent);
  };
  const environment = new VirtualEnvironment(new VirtualTime());
  return { committer: new Committer({ ...lent(store), commit }, environment, () => 0, new CommitMetrics()), sizes };
}

/** Copies the methods explicitly, because a spread copies only own properties and not those of the prototype. */
function lent(store: Store): Store {
  return {
    commit: (sent) => store.commit(sent),
    load: (id) => store.load(id),
    loadLast: (id) => store.loadLast(id),
    contents: (request) => store.contents(request),
    find: (query) => store.find(query),
    post: (posted) => store.post(posted),
    poll: (query) => store.poll(query),
    close: () => store.close(),
  };
}

it("LEASE-2 what was refused of a batch fails, and the rest is committed together", async () => {
  const store = new MemoryStore();
  const ids = Array.from({ length: 10 }, (_, index) => `e${index}`);
  await store.commit(batch(...ids.map((id) => append(id, 0))));
  const gone = await store.post(message("e1", "gone"));
  await store.commit({ appends: [], consumedMessages: [gone] });
  const { committer, sizes } = watched(store);
  const answers = new Map<string, string>();
  for (const id of ids)
    committer.commit(append(id, id === "e7" ? 400 : 2), id === "e1" ? [gone] : [], ({ kind }) => answers.set(id, kind));
  await committer.idle();
  expect(sizes).toEqual([10, 8]);
  expect(ids.filter((id) => answers.get(id) === "failed")).toEqual(["e1", "e7"]);
  expect(answers.size).toBe(10);
  for (const id of ids) await expectAt(store, id, id === "e1" || id === "e7" ? 2 : 4);
});

it("where something in a batch is a bug, each append is committed by itself", async () => {
  const store = new MemoryStore();
  const { committer, sizes } = watched(store);
  const answers = new Map<string, string>();
  const broken = append("b", 0);
  const appends = [append("a", 0), { ...broken, projection: { ...broken.projection, seq: 9 } }, append("c", 0)];
  for (const one of appends) committer.commit(one, [], ({ kind }) => answers.set(one.execution, kind));
  await committer.idle();
  expect(sizes).toEqual([3, 1, 1, 1]);
  expect([...answers]).toEqual([
    ["a", "durable"],
    ["b", "failed"],
    ["c", "durable"],
  ]);
});
