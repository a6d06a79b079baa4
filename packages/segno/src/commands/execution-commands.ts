// Commands about executions that were started before, or run elsewhere.

import { InvalidArgumentError } from "commander";
import type { ExecutionStatus } from "@segno/kernel";

import { wholeNumber } from "../document/option-value.ts";
import { addMessageCommands } from "./message-commands.ts";
import { databaseOption, jsonOption, quietOption, type CommandRegistry } from "./command-registry.ts";

const ID = "the execution, the beginning of its id, or @last";
const LIST_DEFAULT = 20;
const LIST_MAX = 100_000;

export function addExecutionCommands(registry: CommandRegistry): void {
  registry.group("Inspect:");
  addInspectCommands(registry);
  registry.group("Control:");
  addControlCommands(registry);
  addMessageCommands(registry);
}

function addInspectCommands(registry: CommandRegistry): void {
  registry
    .add("list", ["segno list --status running,failed", "segno list --workflow release --limit 5 --json"])
    .description("show executions, the newest first")
    .option("--status <status>", "only these, separated by commas", statuses)
    .option("--workflow <name>", "only executions of this workflow")
    .option("--limit <number>", "at most so many", wholeNumber(1, LIST_MAX), LIST_DEFAULT)
    .addOption(jsonOption("the list"))
    .addOption(databaseOption())
    .action(registry.handler(async () => (await import("../verbs/list.ts")).list));

  registry
    .add("show", ["segno show @last", "segno show 01a1e272 --json", "segno show @last --output build"])
    .description("show an execution and all its steps")
    .argument("<id>", ID)
    .option("--output <step>", "print only what this step gave, whole")
    .addOption(jsonOption("it"))
    .addOption(databaseOption())
    .action(registry.handler(async () => (await import("../verbs/show.ts")).show));

  registry
    .add("logs", ["segno logs @last", "segno logs 01a1e272 test --follow"])
    .description("show what steps wrote")
    .argument("<id>", ID)
    .argument("[step]", "only what this step wrote")
    .option("-f, --follow", "go on until the execution ends")
    .addOption(jsonOption("the lines").conflicts("follow"))
    .option("--jsonl", "print each line as a line of JSON")
    .addOption(databaseOption())
    .action(registry.handler(async () => (await import("../verbs/logs.ts")).logs));

  registry
    .add("watch", ["segno watch @last", "segno watch 01a1e272 --quiet"])
    .description("show how an execution gets on that runs elsewhere; Ctrl-C ends only the looking")
    .argument("<id>", ID)
    .addOption(jsonOption("the result"))
    .option("--jsonl", "print each event as a line of JSON, as it happens")
    .addOption(quietOption())
    .addOption(databaseOption())
    .action(registry.handler(async () => (await import("../verbs/watch.ts")).watch));

  registry
    .add("why", ["segno why @last", "segno why 01a1e272 deploy"])
    .description("say what an execution, or a step of it, waits for")
    .argument("<id>", ID)
    .argument("[step]", "only this step")
    .addOption(jsonOption("the reasons"))
    .addOption(databaseOption())
    .action(registry.handler(async () => (await import("../verbs/why.ts")).why));
}

function addControlCommands(registry: CommandRegistry): void {
  registry
    .add("cancel", ["segno cancel @last", `segno cancel 01a1e272 --reason "wrong version"`])
    .description("stop an execution, wherever it runs")
    .argument("<id>", ID)
    .option("--drain", "let running steps end")
    .option("--force", "give running steps no time to clean up")
    .option("--compensate", "undo what succeeded, the newest first")
    .option("--reason <text>", "why, for who looks later")
    .addOption(jsonOption("the answer"))
    .addOption(databaseOption())
    .action(registry.handler(async () => (await import("../verbs/cancel.ts")).cancel));

  registry
    .add("pause", ["segno pause @last", "segno pause 01a1e272 --json"])
    .description("start nothing new of an execution; what runs may end")
    .argument("<id>", ID)
    .addOption(jsonOption("the answer"))
    .addOption(databaseOption())
    .action(registry.handler(async () => (await import("../verbs/pause.ts")).pause));

  registry
    .add("resume", ["segno resume @last", "segno resume 01a1e272 --json"])
    .description("let an execution go on that was paused or parked")
    .argument("<id>", ID)
    .addOption(jsonOption("the answer"))
    .addOption(databaseOption())
    .action(registry.handler(async () => (await import("../verbs/resume.ts")).resume));
}

/** Typed by the union, so that none is forgotten. */
const STATUSES: Readonly<Record<ExecutionStatus, true>> = {
  pending: true,
  validating: true,
  running: true,
  paused: true,
  parked: true,
  failing: true,
  cancelling: true,
  completed: true,
  failed: true,
  cancelled: true,
};

function statuses(text: string): readonly ExecutionStatus[] {
  const words = text.split(",").map((word) => word.trim());
  if (words.every((word): word is ExecutionStatus => Object.hasOwn(STATUSES, word))) return words;
  throw new InvalidArgumentError(`expected some of ${Object.keys(STATUSES).join(", ")}.`);
}
