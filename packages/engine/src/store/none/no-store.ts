// The null store: executions live in memory and are gone when the process ends. It is for tests and for work that may
// be lost. Within the process the most recent terminal states are cached, with their keys and events.

import type { ContentHash } from "@segno/kernel";
import type { DocumentStore } from "../document-store.ts";
import { MemoryDocuments } from "../memory/memory-documents.ts";
import { StoreFault } from "../store-fault.ts";
import type { LastBlock, LoadResult, MessageId, Page, Poll, Store } from "../store.ts";

export class NoStore implements Store {
  readonly keepsExecutions = false;
  readonly documents: DocumentStore = new MemoryDocuments();

  async commit(): Promise<void> {}

  async load(): Promise<LoadResult | undefined> {
    return undefined;
  }

  async loadLast(): Promise<LastBlock | undefined> {
    return undefined;
  }

  async contents(): Promise<ReadonlyMap<ContentHash, string>> {
    return new Map<ContentHash, string>();
  }

  async find(): Promise<Page> {
    return { executions: [] };
  }

  async post(): Promise<MessageId> {
    throw new StoreFault("STORE_READ_ONLY", "an engine without a store cannot receive posted commands");
  }

  async poll(): Promise<Poll> {
    return { messages: [] };
  }

  async close(): Promise<void> {}
}
