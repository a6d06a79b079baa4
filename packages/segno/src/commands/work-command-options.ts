import type { Command } from "commander";

import { wholeNumber } from "../document/option-value.ts";
import { databaseOption, SECRETS_HELP } from "./command-registry.ts";

/** More concurrent steps than one machine can use. */
const SLOTS_MAX = 10_000;

/** Adds the option of commands that run steps of any workflow. */
export function withImport(command: Command): Command {
  return command.option(
    "--import <file>",
    "import a module and register its workflows and agents; may be repeated",
    (file: string, earlier?: readonly string[]) => [...(earlier ?? []), file],
  );
}

/** Adds the options of commands that run steps. */
export function withWorkOptions(command: Command): Command {
  return command
    .addOption(databaseOption())
    .option("--slots <number>", "the number of steps that may run at once (default: 10)", wholeNumber(1, SLOTS_MAX))
    .option("--yes", "use a journal that another user or another machine created")
    .option("--secrets <file>", SECRETS_HELP)
    .option("--allow-private-network", "let http steps reach private and local addresses");
}
