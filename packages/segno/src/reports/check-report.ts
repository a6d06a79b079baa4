// The reports of `segno db check` and `segno db repair`.

import type { CheckedExecution, Finding, RemainingDamage, RepairReport } from "@segno/engine";

import { commandName } from "../journal/journal-options.ts";
import { safeText } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { countText } from "./maintenance-report.ts";

export interface DamagedExecution {
  readonly id: string;
  readonly workflow: string;
  readonly findings: readonly Finding[];
  /** The reason why the execution is quarantined. */
  readonly quarantined?: string;
}

export function toDamaged({ id, workflow, findings, quarantined }: CheckedExecution): DamagedExecution {
  return { id, workflow, findings, ...(quarantined === undefined ? {} : { quarantined }) };
}

export function checkLines(
  { executions, events }: { readonly executions: number; readonly events: number },
  damaged: readonly DamagedExecution[],
  file: readonly Finding[],
  { palette }: Terminal,
): readonly string[] {
  const found = `${countText(executions, "execution")} with ${countText(events, "event")} checked`;
  const bad = damaged.length + file.length;
  const result = bad === 0 ? palette.good("no damage") : palette.bad(`${bad} damaged`);
  return [
    ...file.map((each) => `${palette.bad("damaged")} ${findingText(each)}`),
    ...damaged.flatMap((each) => damageLines(each, palette)),
    `${found}: ${result}`,
    ...adviceLines(damaged, file),
  ];
}

function damageLines(
  { id, workflow, findings, quarantined }: DamagedExecution,
  palette: Terminal["palette"],
): readonly string[] {
  const name = `${safeText(id)} ${safeText(workflow)}`;
  const state = quarantined === undefined ? [] : [`${palette.bad("quarantined")} ${name}: ${safeText(quarantined)}`];
  return [...state, ...findings.map((each) => `${palette.bad("damaged")} ${name}: ${findingText(each)}`)];
}

function findingText({ code, message }: Finding): string {
  return `${code} ${safeText(message)}`;
}

function adviceLines(damaged: readonly DamagedExecution[], file: readonly Finding[]): readonly string[] {
  const all = [...file, ...damaged.flatMap(({ findings }) => findings)];
  const sound = damaged.find(({ findings }) => findings.length === 0);
  return [
    ...(all.some(({ code }) => code === "PROJECTION_WRONG")
      ? [`${commandName()} db repair rebuilds projections from their journals`]
      : []),
    ...(sound === undefined ? [] : [`${commandName()} db recover ${safeText(sound.id)} ends its quarantine`]),
  ];
}

export function repairLines(
  { restoredIds, repaired, remaining }: RepairReport,
  file: string,
  { palette }: Terminal,
): readonly string[] {
  const lines = (word: string, parts: readonly RemainingDamage[]): string[] =>
    parts.flatMap(({ id, findings }) =>
      findings.map((each) => `${word} ${id === undefined ? "" : `${safeText(id)}: `}${findingText(each)}`),
    );
  if (restoredIds + repaired.length + remaining.length === 0) return [`${safeText(file)}: nothing to repair`];
  return [
    ...(restoredIds === 0 ? [] : [`${palette.good("repaired")} the ids of ${countText(restoredIds, "row")}`]),
    ...lines(palette.good("repaired"), repaired),
    ...lines(palette.bad("not repaired"), remaining),
    `${countText(repaired.length, "execution")} repaired, ${remaining.length} not repaired`,
  ];
}
