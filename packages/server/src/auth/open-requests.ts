// The requests that are under way, by the token that sent them.
//
//   O1. When a token is revoked or expires, its streams and its waiting requests end: at once if this process revokes it, and within
//       the time between two checks if another process does.

import type { Tokens } from "./tokens.ts";

const CHECK_MS = 2000;

/** Ends a request that is under way. */
type EndRequest = () => void;

export class OpenRequests implements Disposable {
  readonly #tokens: Pick<Tokens, "findByHash" | "onRevoked">;
  readonly #open = new Map<string, Set<EndRequest>>();
  readonly #timer: NodeJS.Timeout;
  readonly #stopListening: () => void;

  constructor(tokens: Pick<Tokens, "findByHash" | "onRevoked">, onFault: (error: unknown) => void) {
    this.#tokens = tokens;
    this.#stopListening = tokens.onRevoked((hash) => this.end(hash));
    this.#timer = setInterval(() => void this.#check().catch(onFault), CHECK_MS).unref();
  }

  /** Returns how to forget the request when it has ended. */
  add(hash: string, end: EndRequest): () => void {
    const own = this.#open.get(hash) ?? new Set();
    own.add(end);
    this.#open.set(hash, own);
    return () => {
      own.delete(end);
      if (own.size === 0 && this.#open.get(hash) === own) this.#open.delete(hash);
    };
  }

  /** Ends the requests of a token. */
  end(hash: string): void {
    for (const end of this.#open.get(hash) ?? []) end();
  }

  async #check(): Promise<void> {
    for (const hash of this.#open.keys()) if ((await this.#tokens.findByHash(hash)) === undefined) this.end(hash);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#stopListening();
  }
}
