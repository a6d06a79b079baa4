import type { Command } from "commander";

import type { JournalOptions } from "../journal/journal-options.ts";
import { databaseOption, ID_HELP } from "./command-registry.ts";

export interface CodeCommandOptions extends JournalOptions {
  readonly id: string;
  readonly json?: boolean;
}

/** Adds the options of commands that look at one code workflow. */
export function withExecutionOption(command: Command): Command {
  return command.option("--id <id>", ID_HELP, "@last").addOption(databaseOption());
}
