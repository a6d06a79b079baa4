// `segno rm`: removes ended executions with all their data, by id or by the filters of `list`.

import { UsageError } from "../errors/usage-error.ts";
import type { ExitCode } from "../errors/exit-code.ts";
import type { RemoveOptions } from "../sessions/remove-session.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { databaseOption, ID_HELP, jsonOption, type CommandRegistry } from "./command-registry.ts";
import { withFilterOptions } from "./filter-options.ts";

const EXAMPLES = [
  "segno rm 01a1e272",
  "segno rm --status completed --until 30d --yes",
  "segno rm --workflow nightly --label env=test",
];

export function addRm(registry: CommandRegistry): void {
  const command = registry
    .add("rm", EXAMPLES)
    .description("remove ended executions with their journal, values and logs")
    .argument("[ids...]", ID_HELP);
  withFilterOptions(command)
    .option("-y, --yes", "do not ask")
    .addOption(jsonOption("the ids that were removed"))
    .addOption(databaseOption())
    .action(registry.handler(rm));
}

async function rm(ids: readonly string[], options: RemoveOptions, terminal: Terminal): Promise<ExitCode> {
  const { toFilter } = await import("../lookup/execution-filter.ts");
  const isFiltered = Object.keys(toFilter(options)).length > 0;
  if (ids.length > 0 && isFiltered) throw new UsageError("ids and filters cannot be used together");
  if (ids.length === 0 && !isFiltered) throw new UsageError("give the ids of executions, or a filter such as --status");
  const { removeExecutions } = await import("../sessions/remove-session.ts");
  return removeExecutions(ids, options, terminal);
}
