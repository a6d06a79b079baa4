// The table of `segno token list`.

import type { TokenRecord } from "@segno/server";

import type { Palette } from "../terminal/palette.ts";
import { safeText } from "../terminal/safe-text.ts";
import { displayWidth, pad } from "../terminal/text-layout.ts";
import { widest } from "../terminal/widest.ts";

export function tokenLines(tokens: readonly TokenRecord[], now: number, palette: Palette): readonly string[] {
  if (tokens.length === 0) return ["no tokens"];
  const rows = tokens.map(({ name, scopes, expiresAt }) => ({
    name: safeText(name),
    scopes: scopes.join(","),
    expires: expiryText(expiresAt, now),
  }));
  const nameWidth = widest(["name", ...rows.map(({ name }) => name)].map(displayWidth));
  const scopesWidth = widest(["scopes", ...rows.map(({ scopes }) => scopes)].map(displayWidth));
  return [
    palette.quiet(`${pad("name", nameWidth)}  ${pad("scopes", scopesWidth)}  expires`),
    ...rows.map(({ name, scopes, expires }) => `${pad(name, nameWidth)}  ${pad(scopes, scopesWidth)}  ${expires}`),
  ];
}

function expiryText(expiresAt: number | undefined, now: number): string {
  if (expiresAt === undefined) return "never";
  return expiresAt <= now ? "expired" : new Date(expiresAt).toISOString();
}
