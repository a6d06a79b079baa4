// `segno token revoke`: revokes the tokens of a name. A server that runs ends their streams within seconds.

import type { Command } from "commander";

import { SegnoError } from "@segno/kernel";

import { EXIT_CODES, type ExitCode } from "../errors/exit-code.ts";
import type { JournalOptions } from "../journal/journal-options.ts";
import { safeText } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { databaseOption, type CommandRegistry } from "./command-registry.ts";

export function addTokenRevoke(registry: CommandRegistry, token: Command): void {
  registry
    .add("revoke", ["segno token revoke ci"], token)
    .description("revoke all tokens of a name; their open streams end within 5 seconds")
    .argument("<name>", "the name of the tokens")
    .addOption(databaseOption())
    .action(registry.handler(tokenRevoke));
}

async function tokenRevoke(name: string, options: JournalOptions, terminal: Terminal): Promise<ExitCode> {
  const { openToAsk } = await import("../journal/open-engine.ts");
  const { tokensOf } = await import("../journal/journal-tokens.ts");
  await using engine = await openToAsk(options);
  const count = await tokensOf(engine).revoke(name);
  if (count === 0) throw new SegnoError("TOKEN_UNKNOWN", `there is no token of the name ${name}`);
  terminal.print(`revoked ${count === 1 ? "the token" : `${count} tokens`} of ${safeText(name)}\n`);
  return EXIT_CODES.ok;
}
