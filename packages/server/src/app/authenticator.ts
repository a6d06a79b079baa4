// The authentication of a request: by a token in the header, or by the cookie of a session (HTTP-7).
//
//   A1. The decision is made on the route that matched, never on the text of the address.
//   A2. A cookie is sent by a browser for any page, so a request with it must come from the server's own page.

import type { FastifyRequest } from "fastify";
import { SegnoError } from "@segno/kernel";

import { RateLimit } from "../auth/rate-limit.ts";
import { allows, type TokenScope } from "../auth/scope.ts";
import type { Sessions } from "../auth/sessions.ts";
import type { TokenRecord } from "../auth/token.ts";
import type { Tokens } from "../auth/tokens.ts";
import { readCookie, SESSION_COOKIE } from "../http/cookie.ts";
import type { HostCheck } from "../http/host-check.ts";
import type { ApiCaller } from "../routes/route.ts";

export interface AuthenticatorParts {
  readonly tokens: Tokens;
  readonly sessions: Sessions;
  readonly hosts: HostCheck;
  readonly rate: RateLimit;
}

/** A wrong token costs the address one of these. */
const FAILURES = { rate: 10 / 60, burst: 10 };

export class Authenticator {
  readonly #parts: AuthenticatorParts;
  readonly #failures = new RateLimit(FAILURES);

  constructor(parts: AuthenticatorParts) {
    this.#parts = parts;
  }

  async authenticate(request: FastifyRequest, scope: TokenScope): Promise<ApiCaller> {
    const address = request.ip;
    if (!this.#failures.isOpen(address)) throw new RateError(60);
    const record = await this.#find(request);
    if (record === undefined) {
      // A request without a token guesses nothing.
      if (request.headers.authorization !== undefined) this.#failures.take(address);
      throw new SegnoError("TOKEN_MISSING", "send a valid token: Authorization: Bearer <token>");
    }
    const seconds = this.#parts.rate.take(record.hash);
    if (seconds > 0) throw new RateError(seconds);
    const { name, scopes, hash } = record;
    if (!allows(scopes, scope)) throw new SegnoError("SCOPE_MISSING", `this route needs the scope \`${scope}\``);
    return { name, scopes, hash };
  }

  async #find(request: FastifyRequest): Promise<TokenRecord | undefined> {
    const { tokens, sessions, hosts } = this.#parts;
    const { authorization, cookie, origin, host } = request.headers;
    const bearer = /^Bearer ([\w-]{1,200})$/iu.exec(authorization ?? "")?.[1];
    if (authorization !== undefined) return bearer === undefined ? undefined : tokens.find(bearer);
    const session = readCookie(cookie, SESSION_COOKIE);
    const hash = session === undefined ? undefined : sessions.find(session);
    if (hash === undefined) return undefined;
    const site = request.headers["sec-fetch-site"];
    hosts.assertOwnOrigin(origin, typeof site === "string" ? site : undefined, host);
    return tokens.findByHash(hash);
  }
}

/** Too many requests, with the seconds to wait. */
export class RateError extends SegnoError {
  override readonly name: string = "RateError";
  readonly seconds: number;

  constructor(seconds: number) {
    super("RATE_LIMITED", `too many requests; wait ${seconds} s`);
    this.seconds = seconds;
  }
}
