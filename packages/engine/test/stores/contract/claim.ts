// A claim of the contract: a sentence, and a proof on an empty store.

import { expect } from "vitest";
import type { Codec } from "../../../src/store/codec.ts";
import type { ProcessRecords } from "../../../src/store/process-records.ts";
import type { StepLogs } from "../../../src/store/step-logs.ts";
import type { StoreAdmin } from "../../../src/store/store-admin.ts";
import type { StoreFault } from "../../../src/store/store-fault.ts";
import type { Block, LoadResult, Query, Store } from "../../../src/store/store.ts";
import { toId } from "./sample.ts";

export type ContractStore = Store & Required<Pick<Store, "documents">> & StoreAdmin & StepLogs & ProcessRecords;

export interface Subject {
  readonly store: ContractStore;
  /** A second connection to the same store, like that of another process; absent for a store within one process. */
  readonly second?: () => Promise<ContractStore>;
}

export type Open = (options?: { readonly codec?: Codec }) => Promise<Subject>;

export type Claims = Readonly<Record<string, (subject: Subject, open: Open) => Promise<void>>>;

/** The error code with which a store refused a call. */
export async function refusal(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
  return "accepted";
}

/** The refused parts of a batch, as named by the fault; undefined if the batch was accepted. */
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
  const result = await store.load(toId(id));
  if (result?.kind !== "execution") throw new Error(`${id} is ${JSON.stringify(result)}`);
  return result;
}

export async function readBlocks(store: Store, id: string): Promise<readonly Block[]> {
  return (await loaded(store, id)).blocks;
}

export async function found(store: Store, query: Partial<Query> = {}): Promise<string[]> {
  return (await store.find({ limit: 100, ...query })).executions.map(({ id }) => id);
}

/** All queries on an execution agree with its last append. */
export async function expectAt(store: Store, id: string, seq: number, epoch = 1): Promise<void> {
  const execution = await loaded(store, id);
  const summary = (await store.find({ limit: 1000 })).executions.find((one) => one.id === id);
  expect(execution.projection).toEqual(summary?.projection);
  expect([execution.projection.seq, execution.epoch, summary?.epoch]).toEqual([seq, epoch, epoch]);
  expect(execution.blocks.at(-1)?.hash).toBe(execution.projection.head);
}
