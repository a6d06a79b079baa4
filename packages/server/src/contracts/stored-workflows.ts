// The workflows that were put by the API, with all their versions, as documents of the store.
//
//   SW1. A version is written once and never changed. The workflow's own document names the current version.
//   SW2. Several servers on one store agree: a version number is taken by one of them, and each sees the versions of the others
//        within a second. If a server is killed between the two writes, the next put finishes its work.
//   SW3. A contract is checked by the rules of this server also when it is read: they may have become stricter since it was put.

import { canonicalJson, definitionHash } from "@segno/contract";
import type { DocumentStore, Engine, RegisteredWorkflow } from "@segno/engine";
import { SegnoError, type Definition, type Json } from "@segno/kernel";

import { allDocuments } from "../documents/all-documents.ts";
import { checkRules, type ContractRules } from "./contract-rules.ts";

/** A version of a workflow that was put by the API. */
export interface WorkflowVersion {
  /** Counts from 1. */
  readonly number: number;
  /** The hash of the definition. */
  readonly definition: string;
  /** The version that the contract names. */
  readonly version?: string;
  readonly createdAt: number;
  /** The name of the token that put it. */
  readonly by: string;
}

interface VersionBody extends WorkflowVersion {
  readonly body: Definition;
}

interface CurrentVersion {
  readonly number: number;
  readonly definition: string;
}

interface LoadedVersion {
  readonly number: number;
  /** Undefined if the rules of this server refuse the contract. */
  readonly registered: RegisteredWorkflow | undefined;
}

export interface StoredWorkflowsParts {
  readonly engine: Engine;
  readonly documents: DocumentStore;
  readonly rules: ContractRules;
  /** Whether the operator has loaded a workflow of this name. */
  readonly isReserved: (name: string) => boolean;
  readonly onFault: (error: unknown) => void;
}

const CURRENT = "workflow";
const VERSION = "workflow-version";
const REFRESH_MS = 1000;
const ATTEMPTS_MAX = 20;
const NUMBER_DIGITS = 8;

export class StoredWorkflows {
  readonly #parts: StoredWorkflowsParts;
  readonly #loaded = new Map<string, LoadedVersion>();
  #refreshedAt = Number.NEGATIVE_INFINITY;
  #refreshing: Promise<void> | undefined;

  constructor(parts: StoredWorkflowsParts) {
    this.#parts = parts;
  }

  /** The workflow of this name in its current version; undefined if there is none that the rules allow. */
  async find(name: string): Promise<RegisteredWorkflow | undefined> {
    await this.refresh();
    return this.#loaded.get(name)?.registered;
  }

  async names(): Promise<readonly string[]> {
    await this.refresh();
    return [...this.#loaded].filter(([, { registered }]) => registered !== undefined).map(([name]) => name);
  }

  /** Stores a contract as the current version. The same contract again changes nothing. */
  async put(definition: Definition, by: string): Promise<WorkflowVersion & { readonly isNew: boolean }> {
    const { name, version } = definition;
    const { documents } = this.#parts;
    checkRules(definition, this.#parts.rules);
    const wanted = {
      definition: definitionHash(definition),
      ...(version === undefined ? {} : { version }),
      createdAt: Date.now(),
      by,
    };
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      const before = await documents.get(CURRENT, name);
      const current = before === undefined ? undefined : (JSON.parse(before) as CurrentVersion);
      if (current?.definition === wanted.definition) {
        const { body: _, ...stored } = await this.#read(name, current.number);
        return { ...stored, isNew: false };
      }
      const next: WorkflowVersion = { ...wanted, number: (current?.number ?? 0) + 1 };
      const isTaken = await this.#isTaken(name, { ...next, body: definition });
      const { number, definition: hash } = isTaken ? await this.#read(name, next.number) : next;
      await this.#makeCurrent(name, { number, definition: hash }, before ?? null);
      if (!isTaken) {
        await this.refresh(true);
        return { ...next, isNew: true };
      }
    }
    throw new SegnoError(
      "DOCUMENT_CHANGED",
      `other servers change the workflow \`${name}\` all the time; send it again`,
    );
  }

  /** All versions, the newest first. */
  async versions(name: string): Promise<readonly WorkflowVersion[]> {
    const prefix = `${name} `;
    const stored = await allDocuments(this.#parts.documents, VERSION, prefix);
    return stored
      .filter(({ key }) => key.startsWith(prefix))
      .map(({ body }) => {
        const { body: _, ...version } = JSON.parse(body) as VersionBody;
        return version;
      })
      .toReversed();
  }

  /** Registers what this or another server has put since, at most once a second. */
  async refresh(isForced = false): Promise<void> {
    if (isForced) await this.#refreshing?.catch(() => undefined);
    else if (performance.now() - this.#refreshedAt < REFRESH_MS) return;
    this.#refreshing ??= this.#load().finally(() => (this.#refreshing = undefined));
    await this.#refreshing;
  }

  async #load(): Promise<void> {
    const { documents, isReserved } = this.#parts;
    const startedAt = performance.now();
    for (const { key: name, body } of await allDocuments(documents, CURRENT)) {
      const { number } = JSON.parse(body) as CurrentVersion;
      if (isReserved(name) || this.#loaded.get(name)?.number === number) continue;
      const { body: definition } = await this.#read(name, number);
      this.#loaded.set(name, { number, registered: this.#register(definition) });
    }
    this.#refreshedAt = startedAt;
  }

  #register(definition: Definition): RegisteredWorkflow | undefined {
    const { engine, rules, onFault } = this.#parts;
    try {
      checkRules(definition, rules);
      return engine.register(definition);
    } catch (error) {
      onFault(error);
      return undefined;
    }
  }

  async #read(name: string, number: number): Promise<VersionBody> {
    const body = await this.#parts.documents.get(VERSION, versionKey(name, number));
    if (body === undefined)
      throw new SegnoError("STORE_CORRUPT", `version ${number} of the workflow \`${name}\` is missing in the store`);
    return JSON.parse(body) as VersionBody;
  }

  /** Writes a version; true if another server has written one with this number (SW2). */
  async #isTaken(name: string, version: VersionBody): Promise<boolean> {
    const body = canonicalJson(version as unknown as Json);
    return this.#changed(() =>
      this.#parts.documents.put({ kind: VERSION, key: versionKey(name, version.number), body }, null),
    );
  }

  async #makeCurrent(name: string, current: CurrentVersion, before: string | null): Promise<void> {
    const body = JSON.stringify(current);
    await this.#changed(() => this.#parts.documents.put({ kind: CURRENT, key: name, body }, before));
  }

  /** Whether another server was faster. */
  async #changed(put: () => Promise<void>): Promise<boolean> {
    try {
      await put();
      return false;
    } catch (error) {
      if (error instanceof SegnoError && error.code === "DOCUMENT_CHANGED") return true;
      throw error;
    }
  }
}

/** Keys are in order of their numbers. A name of a workflow has no space. */
function versionKey(name: string, number: number): string {
  return `${name} ${String(number).padStart(NUMBER_DIGITS, "0")}`;
}
