// The report of `segno doctor`.

import type { DoctorFinding, FindingVerdict } from "../doctor/finding.ts";
import type { Palette } from "../terminal/palette.ts";
import { safeText } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { wrapText } from "../terminal/text-layout.ts";

const TONES: Readonly<Record<FindingVerdict, keyof Palette>> = { ok: "good", warning: "caution", problem: "bad" };
const VERDICT_WIDTH = "warning".length;

export function doctorReport(findings: readonly DoctorFinding[], { palette, columns }: Terminal): string {
  const nameWidth = Math.max(...findings.map(({ check }) => check.length));
  const indent = VERDICT_WIDTH + nameWidth + 4;
  const lines = findings.flatMap(({ check, verdict, text, remedy }) => {
    const body = wrapText(safeText(text), columns - indent);
    const advice = remedy === undefined ? [] : wrapText(`what to do: ${safeText(remedy)}`, columns - indent);
    const head = `${palette[TONES[verdict]](verdict.padEnd(VERDICT_WIDTH))}  ${palette.title(check.padEnd(nameWidth))}`;
    return [...body, ...advice].map((line, place) => `${place === 0 ? head : " ".repeat(indent - 2)}  ${line}`);
  });
  return `${[...lines, "", formatSummary(findings, palette)].join("\n")}\n`;
}

function formatSummary(findings: readonly DoctorFinding[], palette: Palette): string {
  const count = (verdict: FindingVerdict): number => findings.filter((each) => each.verdict === verdict).length;
  const counts = [
    ...countText(count("problem"), "problem", palette.bad),
    ...countText(count("warning"), "warning", palette.caution),
  ];
  return `${findings.length} checks: ${counts.length === 0 ? palette.good("no problems") : counts.join(", ")}`;
}

function countText(count: number, noun: string, paint: (text: string) => string): readonly string[] {
  return count === 0 ? [] : [paint(`${count} ${count === 1 ? noun : `${noun}s`}`)];
}
