// `segno token list`: lists the tokens of a journal, without the tokens themselves.

import type { Command } from "commander";

import { EXIT_CODES, type ExitCode } from "../errors/exit-code.ts";
import type { JournalOptions } from "../journal/journal-options.ts";
import { safeJson } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { databaseOption, jsonOption, type CommandRegistry } from "./command-registry.ts";

interface TokenListOptions extends JournalOptions {
  readonly json?: boolean;
}

export function addTokenList(registry: CommandRegistry, token: Command): void {
  registry
    .add("list", ["segno token list", "segno token list --json"], token)
    .description("list the tokens with their scopes and expiry, also expired ones")
    .addOption(jsonOption("the tokens"))
    .addOption(databaseOption())
    .action(registry.handler(tokenList));
}

async function tokenList(options: TokenListOptions, terminal: Terminal): Promise<ExitCode> {
  const { openToRead } = await import("../journal/open-engine.ts");
  const { tokensOf } = await import("../journal/journal-tokens.ts");
  const { tokenLines } = await import("../reports/token-list.ts");
  await using engine = await openToRead(options);
  const tokens = await tokensOf(engine).list();
  if (options.json === true) {
    const shown = tokens.map(({ hash, ...rest }) => ({ id: hash.slice(0, 12), ...rest }));
    terminal.print(`${safeJson({ schemaVersion: 1, tokens: shown })}\n`);
  } else terminal.print(`${tokenLines(tokens, Date.now(), terminal.palette).join("\n")}\n`);
  return EXIT_CODES.ok;
}
