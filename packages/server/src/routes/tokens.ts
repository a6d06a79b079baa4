// Routes about the tokens of the server. Only `admin` may use them.

import { SegnoError } from "@segno/kernel";
import { z } from "zod";

import { SCOPES } from "../auth/scope.ts";
import type { TokenRecord } from "../auth/token.ts";
import type { ApiRoute } from "./route.ts";
import { ownRoute } from "./server-parts.ts";

const scopes = z.array(z.enum([...SCOPES])).min(1);
const tokenFields = {
  name: z.string(),
  id: z.string().meta({ description: "The first digits of the SHA-256 of the token." }),
  scopes,
  createdAt: z.int(),
  expiresAt: z.int().optional(),
};
const tokenSchema = z.object(tokenFields).meta({ id: "Token" });

function shownToken({ name, hash, scopes: own, createdAt, expiresAt }: TokenRecord): object {
  return { name, id: hash.slice(0, 12), scopes: own, createdAt, ...(expiresAt === undefined ? {} : { expiresAt }) };
}

const list: ApiRoute = ownRoute({
  method: "GET",
  path: "/v1/tokens",
  scope: "admin",
  summary: "List the tokens, also expired ones. The tokens themselves are stored nowhere.",
  answers: { 200: { description: "The tokens.", schema: z.object({ tokens: z.array(tokenSchema) }) } },
  handle: async (_, { access: { tokens } }) => ({
    kind: "json",
    status: 200,
    body: { tokens: (await tokens.list()).map(shownToken) },
  }),
});

const create: ApiRoute = ownRoute({
  method: "POST",
  path: "/v1/tokens",
  scope: "admin",
  summary: "Make a token. The answer is the only place that ever has it.",
  body: z.strictObject({
    name: z.string(),
    scopes,
    expiresAt: z.int().optional().meta({ description: "Milliseconds since 1970." }),
  }),
  answers: {
    201: { description: "The token.", schema: z.object({ ...tokenFields, token: z.string() }) },
  },
  handle: async ({ body: { name, scopes: wanted, expiresAt } }, { access: { tokens } }) => {
    const made = await tokens.create({ name, scopes: wanted, ...(expiresAt === undefined ? {} : { expiresAt }) });
    const body = { ...shownToken(made.record), token: made.token };
    return { kind: "json", status: 201, body, headers: { "Cache-Control": "no-store" } };
  },
});

const revoke: ApiRoute = ownRoute({
  method: "DELETE",
  path: "/v1/tokens/{name}",
  scope: "admin",
  summary: "Revoke all tokens of a name. Their streams and sessions end.",
  params: z.strictObject({ name: z.string() }),
  answers: { 200: { description: "How many there were.", schema: z.object({ revoked: z.int() }) } },
  handle: async ({ params: { name } }, { access: { tokens } }) => {
    const revoked = await tokens.revoke(name);
    if (revoked === 0) throw new SegnoError("TOKEN_UNKNOWN", `there is no token of the name \`${name}\``);
    return { kind: "json", status: 200, body: { revoked } };
  },
});

export const TOKEN_ROUTES: readonly ApiRoute[] = [list, create, revoke];
