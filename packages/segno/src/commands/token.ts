// `segno token`: the group of commands for the tokens of a server. Each command of the group has a file of its own.

import type { CommandRegistry } from "./command-registry.ts";
import { addTokenCreate } from "./token-create.ts";
import { addTokenList } from "./token-list.ts";
import { addTokenRevoke } from "./token-revoke.ts";

export function addToken(registry: CommandRegistry): void {
  const token = registry
    .add("token", ["segno token create ci --scopes run,read --expires 90d", "segno token list"])
    .description("make, list and revoke the tokens of `segno serve`, also while it runs")
    .usage("<command> [options]");
  addTokenCreate(registry, token);
  addTokenList(registry, token);
  addTokenRevoke(registry, token);
}
