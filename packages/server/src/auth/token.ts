// Tokens of the API (HTTP-7).
//
//   T1. A token is 32 random bytes. The store has only its SHA-256, so a copy of the store opens nothing.
//   T2. A token is found by its hash. The comparison of hashes needs no constant time: nobody can choose a hash bit by bit.

import { createHash, randomBytes } from "node:crypto";

import type { TokenScope } from "./scope.ts";

/** A token as the store keeps it. */
export interface TokenRecord {
  /** Names the person or the program; it is in votes and logs. */
  readonly name: string;
  /** SHA-256 of the token, in hexadecimal digits. */
  readonly hash: string;
  readonly scopes: readonly TokenScope[];
  readonly createdAt: number;
  /** The token is refused from this time on. */
  readonly expiresAt?: number;
}

const PREFIX = "segno_";

export function newToken(): string {
  return PREFIX + randomBytes(32).toString("base64url");
}

export function tokenHash(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

export function isExpired({ expiresAt }: TokenRecord, now: number): boolean {
  return expiresAt !== undefined && now >= expiresAt;
}
