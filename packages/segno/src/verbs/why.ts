// `segno why`: what an execution, or a step of it, waits for (SCHED-7).

import type { Engine } from "@segno/engine";

import { findExecution } from "../lookup/find-execution.ts";
import { findStep } from "../lookup/find-step.ts";
import { commandName, journalWords, type JournalOptions } from "../journal/journal-options.ts";
import { ORPHANED, orphanTest } from "../lookup/orphan.ts";
import { openToRead } from "../journal/open-engine.ts";
import { idPrefix } from "../lookup/short-id.ts";
import { EXIT_CODES, type ExitCode } from "../exit-code.ts";
import { safeJson, safeText } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { displayWidth, pad } from "../terminal/text-layout.ts";
import { widest } from "../terminal/widest.ts";
import { statusTone } from "../reports/status-tone.ts";

export interface WhyOptions extends JournalOptions {
  readonly json?: boolean;
}

type WaitingRow = Awaited<ReturnType<Engine["why"]>>[number];

const NAME_COLUMNS_MAX = 40;

export async function why(
  id: string,
  step: string | undefined,
  options: WhyOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  await using engine = await openToRead(options);
  const handle = await findExecution(engine, id);
  const report = await handle.status();
  const name = step === undefined ? undefined : findStep(handle.id, report, step).name;
  const orphaned = orphanTest(options)(report.status);
  const found = await engine.why(handle.id, name);
  const waiting = (orphaned ? found.map(withoutProcess) : found).map(withCommand);
  const { palette } = terminal;
  if (options.json === true) {
    terminal.print(
      `${safeJson({ schemaVersion: 1, id: handle.id, status: report.status, ...(orphaned ? { orphaned } : {}), waiting })}\n`,
    );
    return EXIT_CODES.ok;
  }
  const status = orphaned ? palette.caution(ORPHANED) : palette[statusTone(report.status)](report.status);
  const again = palette.accent(`${commandName()} work${journalWords(options)}`);
  const lines = [
    `${safeText(idPrefix(handle.id))} ${status}`,
    ...(orphaned ? [`no process works on it; to go on: ${again}`] : []),
    ...waitingLines(waiting, terminal),
  ];
  terminal.print(`${lines.join("\n")}\n`);
  return EXIT_CODES.ok;
}

/** What an owner would be at, or would take up, is at rest where there is none. */
function withoutProcess(waiting: WaitingRow): WaitingRow {
  const { step, reason } = waiting;
  if (reason.kind === "running")
    return { ...waiting, text: `\`${step}\` was running, attempt ${reason.attempt}, when its process ended` };
  return reason.kind === "ready" ? { ...waiting, text: `\`${step}\` is ready` } : waiting;
}

/** Adds the command that ends a pause; the engine's texts name no command. */
function withCommand(waiting: WaitingRow): WaitingRow {
  const { step, reason, text } = waiting;
  const resume = `\`${commandName()} resume\``;
  if (reason.kind === "paused") return { ...waiting, text: `${text}; ${resume} lets it go on` };
  if (reason.kind === "parked" && step === undefined) return { ...waiting, text: `${text}; ${resume} tries again` };
  return waiting;
}

/** What is about the whole comes first; a step is named once, however much it waits for. */
function waitingLines(waiting: readonly WaitingRow[], { palette }: Terminal): readonly string[] {
  if (waiting.length === 0) return ["nothing waits"];
  const byStep = Map.groupBy(waiting, ({ step }) => step);
  const width = Math.min(NAME_COLUMNS_MAX, widest([...byStep.keys()].map(nameWidth)));
  const whole = byStep.get(undefined) ?? [];
  return [
    ...whole.map(({ text }) => safeText(text)),
    ...[...byStep].flatMap(([step, each]) =>
      step === undefined
        ? []
        : each.map(({ text }, place) => {
            const name = place === 0 ? palette.title(pad(safeText(step), width)) : " ".repeat(width);
            return `  ${name}  ${safeText(text)}`;
          }),
    ),
  ];
}

function nameWidth(step: string | undefined): number {
  return step === undefined ? 0 : displayWidth(safeText(step));
}
