import type { Command } from "commander";

import { databaseOption, ID_HELP, jsonOption, serverOption } from "./command-registry.ts";

/** Adds the arguments and options of `approve` and `reject`. */
export function withVoteOptions(command: Command, comment: string): Command {
  return command
    .argument("<id>", ID_HELP)
    .argument("<step>", "the step that waits for approval, by its name in segno show")
    .option("--by <name>", "the voter (default: the user of this system); a server takes the name of the token")
    .option("--comment <text>", comment)
    .option("--id <id>", "the id of the vote; votes with the same id count once")
    .addOption(jsonOption("the result"))
    .addOption(databaseOption())
    .addOption(serverOption());
}
