// The tokens of a server: made, found, listed and revoked (HTTP-7).
//
//   T3. A revoked or expired token opens nothing from that moment in this process, and after `CACHE_MS` in every other. Requests
//       that it has under way end (O1 of `open-requests.ts`).

import "@segno/contract/node-version";
import type { DocumentStore } from "@segno/engine";
import { SegnoError } from "@segno/kernel";

import { SCOPES, type TokenScope } from "./scope.ts";
import { allDocuments } from "../documents/all-documents.ts";
import { isExpired, newToken, tokenHash, type TokenRecord } from "./token.ts";

/** A token to be made. */
export interface NewToken {
  /** Names the person or the program that uses it. */
  readonly name: string;
  /** The token allows the routes of these scopes. */
  readonly scopes: readonly TokenScope[];
  /** The token is refused from this time on, in milliseconds since 1970. */
  readonly expiresAt?: number;
}

const KIND = "token";
const CACHE_MS = 1000;
const CACHE_MAX = 1000;

interface CachedToken {
  readonly record: TokenRecord | undefined;
  readonly readAt: number;
}

/** Makes, finds, lists and revokes the tokens of a server. */
export class Tokens {
  readonly #documents: DocumentStore;
  readonly #cache = new Map<string, CachedToken>();
  readonly #revoked = new Set<(hash: string) => void>();

  constructor(documents: DocumentStore) {
    this.#documents = documents;
  }

  /** Returns the token itself, which is stored nowhere. */
  async create({
    name,
    scopes,
    expiresAt,
  }: NewToken): Promise<{ readonly token: string; readonly record: TokenRecord }> {
    checkToken(name, scopes);
    const token = newToken();
    const record: TokenRecord = {
      name,
      hash: tokenHash(token),
      scopes,
      createdAt: Date.now(),
      ...(expiresAt === undefined ? {} : { expiresAt }),
    };
    await this.#documents.put({ kind: KIND, key: record.hash, body: JSON.stringify(record) });
    return { token, record };
  }

  /** The record of a valid token; undefined if the token is unknown, expired or revoked. */
  find(token: string): Promise<TokenRecord | undefined> {
    return this.findByHash(tokenHash(token));
  }

  /** The record of the valid token with this hash. */
  async findByHash(hash: string): Promise<TokenRecord | undefined> {
    const now = Date.now();
    const cached = this.#cache.get(hash);
    const isFresh = cached !== undefined && now - cached.readAt < CACHE_MS;
    const record = isFresh ? cached.record : await this.#read(hash, now);
    return record === undefined || isExpired(record, now) ? undefined : record;
  }

  /** All tokens, oldest first, also expired ones. */
  async list(): Promise<readonly TokenRecord[]> {
    const documents = await allDocuments(this.#documents, KIND);
    return documents
      .map(({ body }) => JSON.parse(body) as TokenRecord)
      .toSorted((first, second) => first.createdAt - second.createdAt);
  }

  /** Whether there is a token that is valid now. */
  async hasValid(): Promise<boolean> {
    const now = Date.now();
    return (await this.list()).some((record) => !isExpired(record, now));
  }

  /** Revokes all tokens of this name, and returns how many there were. */
  async revoke(name: string): Promise<number> {
    const records = (await this.list()).filter((record) => record.name === name);
    for (const { hash } of records) {
      await this.#documents.remove(KIND, hash);
      this.#cache.delete(hash);
      for (const listener of this.#revoked) listener(hash);
    }
    return records.length;
  }

  /** Calls back when a token is revoked in this process. Returns how to stop listening. */
  onRevoked(listener: (hash: string) => void): () => void {
    this.#revoked.add(listener);
    return () => this.#revoked.delete(listener);
  }

  async #read(hash: string, now: number): Promise<TokenRecord | undefined> {
    const body = await this.#documents.get(KIND, hash);
    const record = body === undefined ? undefined : (JSON.parse(body) as TokenRecord);
    // Unknown hashes are not cached: a flood of wrong tokens would fill the memory.
    if (record === undefined) return undefined;
    if (this.#cache.size >= CACHE_MAX) this.#cache.clear();
    this.#cache.set(hash, { record, readAt: now });
    return record;
  }
}

function checkToken(name: string, scopes: readonly TokenScope[]): void {
  if (!/^[\w.@ -]{1,128}$/u.test(name))
    throw new SegnoError("NAME_INVALID", "the name of a token has 1 to 128 letters, digits, spaces and . _ @ -");
  if (scopes.length === 0 || !scopes.every((scope) => SCOPES.includes(scope)))
    throw new SegnoError("OPTION_INVALID", `a token needs at least one scope of ${SCOPES.join(", ")}`);
}
