// Commands that tell an execution what it waits for: a signal, or somebody's vote.

import type { Command } from "commander";

import { databaseOption, jsonOption, type CommandRegistry } from "./command-registry.ts";

const ID = "the execution, the beginning of its id, or @last";

export function addMessageCommands(registry: CommandRegistry): void {
  registry
    .add("signal", [
      "segno signal @last go",
      `segno signal 01a1e272 paid --payload '{"amount":7}' --id invoice-1`,
      "segno signal @last paid --payload @payment.json",
    ])
    .description("send a signal; it is kept until a step waits for it")
    .argument("<id>", ID)
    .argument("<name>", "the name of the signal")
    .option("--payload <json>", "what it carries, as JSON, or @file")
    .option("--id <id>", "an id of its own: sent again with the same one, it counts once")
    .addOption(jsonOption("the answer"))
    .addOption(databaseOption())
    .action(registry.handler(async () => (await import("../verbs/signal.ts")).signal));

  const approve = registry
    .add("approve", ["segno approve @last ship", "segno approve 01a1e272 deploy/3/ask --by ann --comment 'looks good'"])
    .description("vote for what a step asks; segno why shows what is asked");
  withVoteOptions(approve, "what others should know").action(
    registry.handler(async () => (await import("../verbs/approve.ts")).approve),
  );

  const reject = registry
    .add("reject", [
      "segno reject @last ship --comment 'not on a Friday'",
      "segno reject @last ship --changes --comment 'the notes are missing'",
    ])
    .description("vote against what a step asks, which fails it; or ask for changes")
    .option("--changes", "ask for changes instead: the step waits on, and everybody votes again");
  withVoteOptions(reject, "why, or what to change").action(
    registry.handler(async () => (await import("../verbs/reject.ts")).reject),
  );
}

function withVoteOptions(command: Command, comment: string): Command {
  return command
    .argument("<id>", ID)
    .argument("<step>", "the step that asks, by its name in segno show")
    .option("--by <name>", "who votes (default: the user of this system)")
    .option("--comment <text>", comment)
    .option("--id <id>", "an id of its own: cast again with the same one, it counts once")
    .addOption(jsonOption("the answer"))
    .addOption(databaseOption());
}
