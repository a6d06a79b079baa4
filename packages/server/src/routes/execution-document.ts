// An execution as the API shows it.
//
//   D1. The body of an execution that has ended is made once: repeated reads cost one row of the store, and no fold.

import type { Engine } from "@segno/engine";
import { executionId, isTerminalStatus, SegnoError, type Json, type State, type Value } from "@segno/kernel";

import { entityTag } from "../http/entity-tag.ts";
import { retryAfter } from "../http/retry-after.ts";

export interface ExecutionDocument {
  readonly body: string;
  readonly correlationId: string;
  readonly tag: string;
  /** Seconds; undefined if the execution will not change by itself. */
  readonly retryAfter: number | undefined;
  readonly isEnded: boolean;
}

const CACHE_MAX = 500;
/** A larger body is made anew for each read, so that the cache has a limit. */
const CACHED_BODY_MAX = 256 * 1024;

export class ExecutionDocuments {
  readonly #engine: Engine;
  readonly #cache = new Map<string, { readonly version: string; readonly document: ExecutionDocument }>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  async read(id: string): Promise<ExecutionDocument> {
    const { states } = this.#engine.extensions;
    const known = executionId(id);
    const version = await states.endedVersion(known);
    const cached = this.#cache.get(id);
    if (cached !== undefined && cached.version === version) return cached.document;
    const state = await states.read(known);
    if (state?.created === undefined) throw new SegnoError("EXECUTION_UNKNOWN", `there is no execution ${id}`);
    const document = await this.#make(id, state);
    // The version is older than the document, so a change between them makes a later read compare unequal.
    if (version !== undefined && document.body.length <= CACHED_BODY_MAX) this.#keep(id, version, document);
    return document;
  }

  #keep(id: string, version: string, document: ExecutionDocument): void {
    if (this.#cache.size >= CACHE_MAX) this.#cache.delete(this.#cache.keys().next().value!);
    this.#cache.set(id, { version, document });
  }

  async #make(id: string, state: State): Promise<ExecutionDocument> {
    const handle = await this.#engine.get(id);
    const { result: _, ...report } = await handle.status();
    const { workflow, correlationId, labels = {}, priority = 0, at } = state.created!;
    const body = JSON.stringify({
      id,
      workflow,
      correlationId,
      labels,
      priority,
      createdAt: at,
      endedAt: state.endedAt,
      ...report,
      input: await this.#readInput(id, state.created!.input),
      output: report.status === "completed" ? await handle.result().catch(absentIfRemoved) : undefined,
    });
    const isEnded = isTerminalStatus(report.status);
    return { body, correlationId, tag: entityTag(body), retryAfter: retryAfter(report), isEnded };
  }

  async #readInput(id: string, input: Value): Promise<Json | undefined> {
    if (input.kind !== "stored") return input.kind === "inline" ? input.json : undefined;
    const values = await this.#engine.extensions.readValues(executionId(id), [input.hash]);
    return values.get(input.hash);
  }
}

/** A value that was removed from the store is absent (DATA-11). */
function absentIfRemoved(error: unknown): undefined {
  if (error instanceof SegnoError && error.code === "PAYLOAD_REMOVED") return undefined;
  throw error;
}
