// `segno token create`: makes a token, and prints it once.

import { InvalidArgumentError, type Command } from "commander";

import type { TokenScope } from "@segno/server";

import { duration } from "../document/option-value.ts";
import { EXIT_CODES, type ExitCode } from "../errors/exit-code.ts";
import type { JournalOptions } from "../journal/journal-options.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { databaseOption, type CommandRegistry } from "./command-registry.ts";

const SCOPES: readonly string[] = ["read", "run", "approve", "define", "admin"];

interface TokenCreateOptions extends JournalOptions {
  readonly scopes: readonly TokenScope[];
  readonly expires?: number;
}

export function addTokenCreate(registry: CommandRegistry, token: Command): void {
  registry
    .add("create", ["segno token create ci --scopes run,read --expires 90d"], token)
    .description("make a token and print it once; only its SHA-256 is stored")
    .argument("<name>", "the person or the program that uses it; votes carry this name")
    .requiredOption("--scopes <list>", `what it allows: ${SCOPES.join(", ")}, separated by commas`, scopes)
    .option("--expires <duration>", "the token is refused after this time, such as 90d (default: never)", duration)
    .addOption(databaseOption())
    .action(registry.handler(tokenCreate));
}

async function tokenCreate(name: string, options: TokenCreateOptions, terminal: Terminal): Promise<ExitCode> {
  const { openToRecord } = await import("../journal/open-engine.ts");
  const { tokensOf } = await import("../journal/journal-tokens.ts");
  await using engine = await openToRecord(options);
  const { scopes: wanted, expires } = options;
  const expiresAt = expires === undefined ? {} : { expiresAt: Date.now() + expires };
  const { token } = await tokensOf(engine).create({ name, scopes: wanted, ...expiresAt });
  terminal.print(`${token}\n`);
  terminal.report("keep it now: it is not stored, and it is not shown again\n");
  return EXIT_CODES.ok;
}

function scopes(text: string): readonly string[] {
  const list = text.split(",").map((scope) => scope.trim());
  if (list.every((scope) => SCOPES.includes(scope))) return list;
  throw new InvalidArgumentError(`expected scopes of ${SCOPES.join(", ")}, separated by commas.`);
}
