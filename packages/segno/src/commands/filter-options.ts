// The options that choose executions, for `list` and `rm`.

import { InvalidArgumentError, type Command } from "commander";
import type { ExecutionStatus } from "@segno/kernel";

import { label, moment } from "../document/option-value.ts";

export function withFilterOptions(command: Command): Command {
  return command
    .option("--status <status>", "only executions with these statuses, separated by commas", parseStatuses)
    .option("--workflow <name>", "only executions of this workflow")
    .option("--since <time>", "only executions created since: 2h ago, or 2026-01-31T09:00Z", moment)
    .option("--until <time>", "only executions created before this time", moment)
    .option("--label <name=value>", "only executions with this label; may be repeated", label)
    .option("--correlation <id>", "only executions with this correlation id")
    .option("--text <text>", "only executions with this text in their id, workflow or failure");
}

/** A record typed by the union, so that the compiler reports a missing status. */
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

function parseStatuses(text: string): readonly ExecutionStatus[] {
  const words = text.split(",").map((word) => word.trim());
  if (words.every((word): word is ExecutionStatus => Object.hasOwn(STATUSES, word))) return words;
  throw new InvalidArgumentError(`expected one or more of ${Object.keys(STATUSES).join(", ")}.`);
}
