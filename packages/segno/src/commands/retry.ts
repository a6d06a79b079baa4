// `segno retry`: opens a new round of a failed execution. With `--undo` it repeats only the compensation of steps that could
// not be undone, also for a cancelled execution. With `--tolerated` it runs the failures again that a completed execution
// tolerated. If no process owns the journal, the execution runs here, as with `run`.

import type { ExitCode } from "../errors/exit-code.ts";
import { UsageError } from "../errors/usage-error.ts";
import type { RetryCommandOptions } from "../sessions/retry-session.ts";
import type { Terminal } from "../terminal/terminal.ts";
import {
  ID_HELP,
  jsonlOption,
  jsonOption,
  quietOption,
  serverOption,
  type CommandRegistry,
} from "./command-registry.ts";
import { withImport, withWorkOptions } from "./work-command-options.ts";

export function addRetry(registry: CommandRegistry): void {
  const command = registry
    .add("retry", [
      "segno retry @last",
      "segno retry 01a1e272 --detach",
      "segno retry @last --undo",
      "segno retry @last --tolerated",
    ])
    .description("retry a failed execution: run the steps that did not succeed")
    .argument("<id>", ID_HELP)
    .addOption(jsonOption("the result"))
    .addOption(jsonlOption())
    .option("--undo", "only undo the steps that could not be undone before; exits with 0 when all are undone")
    .option(
      "--tolerated",
      "run the failures again that a completed execution tolerated, and the steps that depend on them",
    )
    .option("--detach", "continue in the background");
  withWorkOptions(withImport(command))
    .addOption(serverOption())
    .addOption(quietOption())
    .action(registry.handler(retry));
}

async function retry(
  id: string,
  options: RetryCommandOptions & { readonly detach?: boolean },
  terminal: Terminal,
): Promise<ExitCode> {
  if (options.undo === true && options.tolerated === true)
    throw new UsageError("--undo and --tolerated cannot be used together");
  const { isRemote } = await import("../journal/journal-options.ts");
  const isOnServer = isRemote(options);
  if (isOnServer) refuseLocalOptions(options);
  const { reportRefusal, retryDetached, retryInForeground, retryOnServer } =
    await import("../sessions/retry-session.ts");
  // First of all, so that a command that is refused has resumed nothing.
  const refusal = await reportRefusal(id, options, terminal);
  if (refusal !== undefined) return refusal;
  if (isOnServer) return retryOnServer(id, options, terminal);
  const { requireTrust } = await import("../worker/journal-trust.ts");
  await requireTrust(options, terminal);
  return options.detach === true ? retryDetached(id, options, terminal) : retryInForeground(id, options, terminal);
}

/** Options of a command that runs the steps itself, with the flag of each. */
const LOCAL_OPTIONS = {
  slots: "--slots",
  secrets: "--secrets",
  allowPrivateNetwork: "--allow-private-network",
  import: "--import",
  yes: "--yes",
  jsonl: "--jsonl",
  quiet: "--quiet",
} as const satisfies Partial<Record<keyof RetryCommandOptions, string>>;

/** The server runs the steps with its own options, and `segno watch` follows them. */
function refuseLocalOptions(options: RetryCommandOptions): void {
  const given = (Object.keys(LOCAL_OPTIONS) as (keyof typeof LOCAL_OPTIONS)[]).filter(
    (name) => options[name] !== undefined,
  );
  if (given.length === 0) return;
  const flags = given.map((name) => LOCAL_OPTIONS[name]).join(" and ");
  throw new UsageError(`${flags} cannot be used with a server, which runs the steps; segno watch follows them`);
}
