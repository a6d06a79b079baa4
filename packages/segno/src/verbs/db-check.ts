// `segno db check`, `repair` and `recover`: what is wrong with the journal, and what can be done about it.

import { repairFile, type CheckedExecution, type Finding, type RemainingDamage } from "@segno/engine";

import { findExecution } from "../lookup/find-execution.ts";
import { commandName, journalFile, requireJournal } from "../journal/journal-options.ts";
import { openToAsk, openToRead } from "../journal/open-engine.ts";
import { EXIT_CODES, type ExitCode } from "../exit-code.ts";
import { safeJson, safeText } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { countText, printDone, requireOwner, type DbOptions } from "./db.ts";

interface Damage {
  readonly id: string;
  readonly workflow: string;
  readonly findings: readonly Finding[];
  /** Why it was quarantined, if it was. */
  readonly quarantined?: string;
}

/** Reads everything, also beside the process that owns the journal (JOURNAL-4); what was quarantined is damage, too. */
export async function dbCheck(options: DbOptions, terminal: Terminal): Promise<ExitCode> {
  await using engine = await openToRead(options);
  const damaged: Damage[] = [];
  const file: Finding[] = [];
  const sum = { executions: 0, events: 0 };
  for await (const part of engine.check()) {
    if (part.kind === "store") {
      for (const finding of part.findings) file.push(finding);
      continue;
    }
    sum.executions++;
    sum.events += part.events;
    if (part.findings.length > 0 || part.quarantined !== undefined) damaged.push(toDamage(part));
  }
  const ok = damaged.length === 0 && file.length === 0;
  if (options.json === true) terminal.print(`${safeJson({ schemaVersion: 2, ok, ...sum, damaged, file })}\n`);
  else terminal.print(`${checkLines(sum, damaged, file, terminal).join("\n")}\n`);
  return ok ? EXIT_CODES.ok : EXIT_CODES.failed;
}

function toDamage({ id, workflow, findings, quarantined }: CheckedExecution): Damage {
  return { id, workflow, findings, ...(quarantined === undefined ? {} : { quarantined: quarantined }) };
}

function checkLines(
  { executions, events }: { readonly executions: number; readonly events: number },
  damaged: readonly Damage[],
  file: readonly Finding[],
  { palette }: Terminal,
): readonly string[] {
  const found = `${countText(executions, "execution")} with ${countText(events, "event")} checked`;
  const bad = damaged.length + file.length;
  const result = bad === 0 ? palette.good("all is well") : palette.bad(`${bad} damaged`);
  return [
    ...file.map((each) => `${palette.bad("damaged")} ${findingText(each)}`),
    ...damaged.flatMap((each) => damageLines(each, palette)),
    `${found}: ${result}`,
    ...adviceLines(damaged, file),
  ];
}

function damageLines({ id, workflow, findings, quarantined }: Damage, palette: Terminal["palette"]): readonly string[] {
  const name = `${safeText(id)} ${safeText(workflow)}`;
  const aside = quarantined === undefined ? [] : [`${palette.bad("set aside")} ${name}: ${safeText(quarantined)}`];
  return [...aside, ...findings.map((each) => `${palette.bad("damaged")} ${name}: ${findingText(each)}`)];
}

function findingText({ code, message }: Finding): string {
  return `${code} ${safeText(message)}`;
}

function adviceLines(damaged: readonly Damage[], file: readonly Finding[]): readonly string[] {
  const all = [...file, ...damaged.flatMap(({ findings }) => findings)];
  const sound = damaged.find(({ findings }) => findings.length === 0);
  return [
    ...(all.some(({ code }) => code === "PROJECTION_WRONG")
      ? [`${commandName()} db repair makes projections again from their journals`]
      : []),
    ...(sound === undefined ? [] : [`${commandName()} db recover ${safeText(sound.id)} lets it go on`]),
  ];
}

/** Needs the journal for itself: nothing in it runs meanwhile. */
export async function dbRepair(options: DbOptions, terminal: Terminal): Promise<ExitCode> {
  const { repaired, remaining } = await repairFile(requireJournal(options));
  const ok = remaining.length === 0;
  if (options.json === true) terminal.print(`${safeJson({ schemaVersion: 1, ok, repaired, remaining })}\n`);
  else terminal.print(`${repairLines(repaired, remaining, journalFile(options), terminal).join("\n")}\n`);
  return ok ? EXIT_CODES.ok : EXIT_CODES.failed;
}

function repairLines(
  repaired: readonly RemainingDamage[],
  remaining: readonly RemainingDamage[],
  file: string,
  { palette }: Terminal,
): readonly string[] {
  const lines = (word: string, parts: readonly RemainingDamage[]): string[] =>
    parts.flatMap(({ id, findings }) =>
      findings.map((each) => `${word} ${id === undefined ? "" : `${safeText(id)}: `}${findingText(each)}`),
    );
  if (repaired.length + remaining.length === 0) return [`${safeText(file)}: nothing to repair`];
  return [
    ...lines(palette.good("repaired"), repaired),
    ...lines(palette.bad("not repaired"), remaining),
    `${countText(repaired.length, "execution")} repaired, ${remaining.length} not repaired`,
  ];
}

/** What goes on goes on with `segno work`. */
export async function dbRecover(id: string, options: DbOptions, terminal: Terminal): Promise<ExitCode> {
  await using engine = await openToAsk(options);
  requireOwner(engine, options, "bring back executions");
  const handle = await findExecution(engine, id);
  await engine.recover(handle.id);
  return printDone(
    options,
    terminal,
    { id: handle.id },
    `${safeText(handle.id)} is sound, and is not set aside any more`,
  );
}
