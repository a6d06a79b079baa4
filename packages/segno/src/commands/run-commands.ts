// Commands that run things.

import type { Command } from "commander";

import { duration, wholeNumber } from "../document/option-value.ts";
import { databaseOption, jsonOption, quietOption, type CommandRegistry } from "./command-registry.ts";

/** More steps at once than any one machine should be asked for. */
const SLOTS_MAX = 10_000;
const PRIORITY_MAX = 1_000_000;

export function addRunCommands(registry: CommandRegistry): void {
  registry.group("Running:");

  const run = registry
    .add("run", [
      "segno run release.yaml",
      `segno run release.yaml --input '{"tag":"v1"}' --json > result.json`,
      "segno run nightly.yaml --detach",
    ])
    .description("start an execution and show how it gets on; Ctrl-C cancels it, twice forces")
    .argument("<file>", "a contract, in YAML or JSON; - reads standard input")
    .option("--input <json>", "the input as JSON, or @file")
    .option("--with <file>", "a contract that it calls, when that is not beside it; may be repeated", several)
    .addOption(jsonOption("the result"))
    .option("--jsonl", "print each event as a line of JSON, as it happens")
    .option("--detach", "print the id and go on in the background")
    .option("--id <id>", "the id of the execution, instead of a new one")
    .option("--key <key>", "an idempotency key: the same key gives the same execution")
    .option("--priority <number>", "higher ones run first", wholeNumber(-PRIORITY_MAX, PRIORITY_MAX))
    .option("--timeout <duration>", "cancel it after so long, and end with 124", duration);
  withWorkOptions(run)
    .addOption(quietOption())
    .action(registry.handler(async () => (await import("../verbs/run.ts")).run));

  const work = registry
    .add("work", ["segno work", "segno work --until-idle --slots 4"])
    .description("go on with unfinished executions, and with what other commands start")
    .option("--until-idle", "end when there is nothing left to do");
  withWorkOptions(work)
    .addOption(quietOption())
    .action(registry.handler(async () => (await import("../verbs/work.ts")).work));

  const retry = registry
    .add("retry", ["segno retry @last", "segno retry 01a1e272 --detach", "segno retry @last --undo"])
    .description("try again what did not succeed in a failed execution")
    .argument("<id>", "the execution, the beginning of its id, or @last")
    .addOption(jsonOption("the result"))
    .option("--jsonl", "print each event as a line of JSON, as it happens")
    .option("--undo", "only try again to undo what could not be undone; ends with 0 when nothing is left")
    .option("--detach", "go on in the background");
  withWorkOptions(retry)
    .addOption(quietOption())
    .action(registry.handler(async () => (await import("../verbs/retry.ts")).retry));
}

function several(value: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, value];
}

function withWorkOptions(command: Command): Command {
  return command
    .addOption(databaseOption())
    .option("--slots <number>", "steps at once (default: 10)", wholeNumber(1, SLOTS_MAX))
    .option("--yes", "go on with a journal that another user made, or that was made on another machine")
    .option("--secrets <file>", "a file or folder with secrets; the environment has the rest")
    .option("--allow-private-network", "let http steps reach private and local addresses");
}
