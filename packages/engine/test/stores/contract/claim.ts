// A claim of the contract: a sentence, and what proves it on a store that holds nothing yet.

import { expect } from "vitest";
import type { Codec } from "../../../src/store/codec.ts";
import type { ProcessTable } from "../../../src/store/process-table.ts";
import type { StepLogs } from "../../../src/store/step-logs.ts";
import type { StoreAdmin } from "../../../src/store/store-admin.ts";
import type { StoreFault } from "../../../src/store/store-fault.ts";
import type { Block, LoadResult, Query, Store } from "../../../src/store/store.ts";
import { idOf } from "./sample.ts";

export type ContractStore = Store & StoreAdmin & StepLogs & ProcessTable;

export interface Subject {
  readonly store: ContractStore;
  /** Another way to the same store, as another process has it; none where it lives in one process only. */
  readonly second?: () => Promise<ContractStore>;
}

export type Open = (options?: { readonly codec?: Codec }) => Promise<Subject>;

export type Claims = Readonly<Record<string, (subject: Subject, open: Open) => Promise<void>>>;

/** The code with which a call of a store was refused. */
export async function refusal(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
  return "accepted";
}

/** What was refused of a batch, and so named by the fault; nothing when it was accepted. */
export async function refused(
  call: Promise<unknown>,
): Promise<{ executions: string[]; messages: number[] } | undefined> {
  try {
    await call;
    return undefined;
  } catch (error) {
    const { executions = [], messages = [] } = (error as StoreFault).refused ?? {};
    return { executions: [...executions], messages: [...messages] };
  }
}

export async function loaded(store: Store, id: string): Promise<LoadResult & { kind: "execution" }> {
  const result = await store.load(idOf(id));
  if (result?.kind !== "execution") throw new Error(`${id} is ${JSON.stringify(result)}`);
  return result;
}

export async function blocksOf(store: Store, id: string): Promise<readonly Block[]> {
  return (await loaded(store, id)).blocks;
}

export async function found(store: Store, query: Partial<Query> = {}): Promise<string[]> {
  return (await store.find({ limit: 100, ...query })).executions.map(({ id }) => id);
}

/** Everything that can be seen of an execution agrees with its last append. */
export async function expectAt(store: Store, id: string, seq: number, epoch = 1): Promise<void> {
  const execution = await loaded(store, id);
  const summary = (await store.find({ limit: 1000 })).executions.find((one) => one.id === id);
  expect(execution.projection).toEqual(summary?.projection);
  expect([execution.projection.seq, execution.epoch, summary?.epoch]).toEqual([seq, epoch, epoch]);
  expect(execution.blocks.at(-1)?.hash).toBe(execution.projection.head);
}
