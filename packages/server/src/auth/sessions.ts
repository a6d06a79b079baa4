// Sessions of the page: a one-time code becomes a cookie (HTTP-7).
//
//   L1. A code works once, for ten minutes. The link that `serve` prints has a code and never a token.
//   L2. A session acts for a token, and ends when that token is revoked or expires. Sessions are in memory: after a restart, people
//       log in again.

import { randomBytes } from "node:crypto";

const CODE_MS = 10 * 60 * 1000;
const SESSION_MS = 12 * 60 * 60 * 1000;
const SESSIONS_MAX = 1000;

interface Session {
  readonly hash: string;
  readonly expiresAt: number;
}

export class Sessions {
  readonly #codes = new Map<string, Session>();
  readonly #sessions = new Map<string, Session>();

  /** Makes a code with which one login for the token is possible. */
  newCode(hash: string, now: number = Date.now()): string {
    return this.#add(this.#codes, { hash, expiresAt: now + CODE_MS }, now);
  }

  /** Returns the id of a new session; undefined if the code is unknown, used or expired. */
  logIn(code: string, now: number = Date.now()): string | undefined {
    const found = this.#codes.get(code);
    this.#codes.delete(code);
    if (found === undefined || now >= found.expiresAt) return undefined;
    return this.#add(this.#sessions, { hash: found.hash, expiresAt: now + SESSION_MS }, now);
  }

  logOut(id: string): void {
    this.#sessions.delete(id);
  }

  /** The hash of the token for which the session acts. */
  find(id: string, now: number = Date.now()): string | undefined {
    const session = this.#sessions.get(id);
    return session === undefined || now >= session.expiresAt ? undefined : session.hash;
  }

  #add(place: Map<string, Session>, session: Session, now: number): string {
    for (const [id, { expiresAt }] of place) if (now >= expiresAt) place.delete(id);
    if (place.size >= SESSIONS_MAX) place.delete(place.keys().next().value!);
    const id = randomBytes(32).toString("base64url");
    place.set(id, session);
    return id;
  }
}
