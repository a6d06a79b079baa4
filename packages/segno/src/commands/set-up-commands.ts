// Commands for who begins with Segno, and for the machine that it runs on.

import { Argument, Option, type Command } from "commander";

import { SHELLS } from "../completion/shell.ts";
import { TEMPLATE_NAMES } from "../init/template-names.ts";
import { databaseOption, jsonOption, type CommandRegistry } from "./command-registry.ts";

export function addSetUpCommands(registry: CommandRegistry): void {
  registry.group("Setting up:");

  registry
    .add("init", ["segno init", "segno init nightly --template map", "segno init --yes"])
    .description("write a first workflow that runs as it stands; asks what it should be")
    .argument("[folder]", "where to write it (default: here)")
    .option("-y, --yes", "ask nothing, and take what it would suggest")
    .option("--name <name>", "what the workflow is called (default: as the folder)")
    .addOption(new Option("--template <kind>", "what it is made of").choices(TEMPLATE_NAMES))
    .action(registry.handler(async () => (await import("../verbs/init.ts")).init));

  registry
    .add("doctor", ["segno doctor", "segno doctor --json"])
    .description("check what makes Segno work here, and say what to do about what does not")
    .addOption(jsonOption("the findings"))
    .addOption(databaseOption())
    .action(registry.handler(async () => (await import("../verbs/doctor.ts")).doctor));

  const completions = registry
    .add("completions", [
      "source <(segno completions bash)",
      "segno completions zsh",
      "segno completions fish | source",
    ])
    .description("print a script that teaches a shell to complete verbs, options, executions and steps")
    .addArgument(new Argument("<shell>", "the shell").choices(SHELLS))
    .action(registry.handler(async () => (await import("../verbs/completions.ts")).completions));

  addHidden(completions.parent!, registry);
}

/** For the scripts, not for people. The command itself says what can be completed. */
function addHidden(program: Command, registry: CommandRegistry): void {
  program
    .command("complete", { hidden: true })
    .argument("[words...]", "what is typed behind the command's name")
    .option("--line <text>", "the same as one text")
    .action(registry.handler(async () => (await import("../verbs/complete.ts")).completeFor(program)));
}
