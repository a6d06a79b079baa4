// `segno why`: tells what an execution, or one of its steps, waits for (SCHED-7).

import { EXIT_CODES, type ExitCode } from "../errors/exit-code.ts";
import type { JournalOptions } from "../journal/journal-options.ts";
import { safeJson, safeText } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { databaseOption, ID_HELP, jsonOption, serverOption, type CommandRegistry } from "./command-registry.ts";

interface WhyOptions extends JournalOptions {
  readonly json?: boolean;
}

export function addWhy(registry: CommandRegistry): void {
  registry
    .add("why", ["segno why @last", "segno why 01a1e272 deploy"])
    .description("show what an execution, or one of its steps, waits for")
    .argument("<id>", ID_HELP)
    .argument("[step]", "only this step")
    .addOption(jsonOption("the reasons"))
    .addOption(databaseOption())
    .addOption(serverOption())
    .action(registry.handler(why));
}

async function why(id: string, step: string | undefined, options: WhyOptions, terminal: Terminal): Promise<ExitCode> {
  const { commandName, journalWords } = await import("../journal/journal-options.ts");
  const { openToInspect } = await import("../remote/open-inspected.ts");
  const { findExecution } = await import("../lookup/find-execution.ts");
  const { findStep } = await import("../lookup/find-step.ts");
  const { ORPHANED, orphanTest } = await import("../lookup/orphan.ts");
  const { idPrefix } = await import("../lookup/short-id.ts");
  const { statusTone } = await import("../reports/status-tone.ts");
  const { waitingLines, withCommand, withoutProcess } = await import("../reports/waiting-report.ts");
  await using engine = await openToInspect(options);
  const handle = await findExecution(engine, id);
  const { status, ...report } = await handle.status();
  const name = step === undefined ? undefined : findStep(handle.id, report, step).name;
  const orphaned = orphanTest(options)(status);
  const found = await engine.why(handle.id, name);
  const waiting = (orphaned ? found.map(withoutProcess) : found).map(withCommand);
  if (options.json === true) {
    const facts = { schemaVersion: 1, id: handle.id, status, ...(orphaned ? { orphaned } : {}), waiting };
    terminal.print(`${safeJson(facts)}\n`);
    return EXIT_CODES.ok;
  }
  const { palette } = terminal;
  const shown = orphaned ? palette.caution(ORPHANED) : palette[statusTone(status)](status);
  const again = palette.accent(`${commandName()} work${journalWords(options)}`);
  const lines = [
    `${safeText(idPrefix(handle.id))} ${shown}`,
    ...(orphaned ? [`no process runs it; to resume it: ${again}`] : []),
    ...waitingLines(waiting, terminal),
  ];
  terminal.print(`${lines.join("\n")}\n`);
  return EXIT_CODES.ok;
}
