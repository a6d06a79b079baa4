// `segno serve`: offers workflows over HTTP, and runs all executions of the journal.

import { InvalidArgumentError } from "commander";

import { wholeNumber } from "../document/option-value.ts";
import { EXIT_CODES, type ExitCode } from "../errors/exit-code.ts";
import type { ServeCommandOptions } from "../sessions/serve-session.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { CommandRegistry } from "./command-registry.ts";
import { withImport, withWorkOptions } from "./work-command-options.ts";

const PORT_MAX = 65_535;
const KINDS: readonly string[] = ["http", "agent", "run", "exec", "module"];

export function addServe(registry: CommandRegistry): void {
  const command = registry
    .add("serve", [
      "segno serve",
      "segno serve workflows src/flows.ts --port 8080",
      "segno serve --allow http,agent,run",
    ])
    .description("offer workflows over HTTP and run all executions of the journal; Ctrl-C stops it")
    .argument("[path...]", "folders with contracts, contracts, and modules with workflows (default: this folder)")
    .option("--port <number>", "the port (default: 4280); 0 takes a free one", wholeNumber(0, PORT_MAX))
    .option("--host <address>", "the address to listen on (default: 127.0.0.1); any other needs a token first")
    .option("--hosts <names>", "further names under which the server answers, such as that of a reverse proxy", words)
    .option(
      "--allow <kinds>",
      `the kinds of steps in contracts of the API: ${KINDS.join(", ")} (default: http,agent)`,
      kinds,
    )
    .option("--hooks <file>", "a JSON file with the hooks of the server, by name");
  withWorkOptions(withImport(command)).action(registry.handler(serve));
}

async function serve(paths: readonly string[], options: ServeCommandOptions, terminal: Terminal): Promise<ExitCode> {
  const { loadServed } = await import("../document/served-workflows.ts");
  const served = await loadServed(paths.length === 0 ? ["."] : paths);
  if (served.kind === "problems") {
    const { reportProblems } = await import("../reports/problem-report.ts");
    return reportProblems(served, terminal);
  }
  const { requireTrust } = await import("../worker/journal-trust.ts");
  await requireTrust(options, terminal);
  const { StopSignals } = await import("../live/stop-signals.ts");
  const { createView } = await import("../live/create-view.ts");
  const { runServer } = await import("../sessions/serve-session.ts");
  using signals = new StopSignals();
  const view = createView(terminal, { quiet: true, isShared: true });
  try {
    await runServer({ served, options, terminal, view, signals });
    return EXIT_CODES.ok;
  } finally {
    view.close();
  }
}

function words(text: string): readonly string[] {
  const list = text.split(",").map((word) => word.trim());
  if (list.every((word) => word !== "")) return list;
  throw new InvalidArgumentError("expected names separated by commas.");
}

function kinds(text: string): readonly string[] {
  const list = words(text);
  if (list.every((kind) => KINDS.includes(kind))) return list;
  throw new InvalidArgumentError(`expected kinds of ${KINDS.join(", ")}, separated by commas.`);
}
