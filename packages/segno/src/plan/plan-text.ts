// Formats a plan as text: a block for each wave, a line for each step, and quiet lines with its needs below.

import { safeText } from "../terminal/safe-text.ts";
import type { Palette } from "../terminal/palette.ts";
import { displayWidth, flowItems, pad, shorten, wrapText } from "../terminal/text-layout.ts";
import { widest } from "../terminal/widest.ts";
import { durationText } from "./duration-text.ts";
import type { Plan, PlannedStep } from "./plan.ts";
import { planHint, planSummary } from "./plan-summary.ts";
import { shortHash } from "./short-hash.ts";
import { stepDetails } from "./step-details.ts";

export interface PlanTextOptions {
  readonly palette: Palette;
  readonly columns: number;
}

/** Longer ids get a line of their own, so that they do not widen the column. */
const ID_SHARE_MAX = 0.3;
const DOES_WIDTH_MAX = 160;
const GAP = "  ";

export function planText(plan: Plan, options: PlanTextOptions): string {
  const layout = computeColumns(plan, options);
  const blocks = [
    header(plan, options),
    ...waveBlocks(plan, layout),
    absentBlock(plan, layout),
    wrapText(planSummary(plan), options.columns),
    planHint(plan).flatMap((text) => wrapText(text, options.columns).map(options.palette.quiet)),
  ];
  return `${blocks
    .filter((block) => block.length > 0)
    .map((block) => block.join("\n"))
    .join("\n\n")}\n`;
}

interface PlanColumns extends PlanTextOptions {
  readonly idWidth: number;
  readonly kindWidth: number;
  readonly indent: string;
}

function computeColumns({ steps }: Plan, options: PlanTextOptions): PlanColumns {
  const idWidth = Math.min(Math.floor(options.columns * ID_SHARE_MAX), widest(lengths(steps.map(({ id }) => id))));
  const kindWidth = widest(lengths(steps.map(({ kind }) => kind)));
  // Two columns for the margin, two for the mark, and a gap after id and kind.
  const indent = " ".repeat(4 + idWidth + GAP.length + kindWidth + GAP.length);
  return { ...options, idWidth, kindWidth, indent };
}

/** Distinct widths, so that they can be spread into a call for any number of steps. */
function lengths(texts: readonly string[]): readonly number[] {
  return [...new Set(texts.map((text) => text.length))];
}

function header(
  { workflow, version, description, hash, policy }: Plan,
  { palette, columns }: PlanTextOptions,
): string[] {
  const name = [palette.title(safeText(workflow)), ...(version === undefined ? [] : [safeText(version)])].join(" ");
  const settings = [
    ...(policy.concurrency === undefined ? [] : [`concurrency ${policy.concurrency}`]),
    ...(policy.timeoutMs === undefined ? [] : [`timeout ${durationText(policy.timeoutMs)}`]),
    ...(policy.onFailure === undefined ? [] : [`on failure ${policy.onFailure}`]),
  ];
  const about =
    description === undefined
      ? []
      : wrapText(shorten(safeText(description.trim().replaceAll(/\s+/gu, " ")), 4 * columns), columns);
  return [
    `${name}  ${palette.quiet(shortHash(hash))}`,
    ...about,
    ...flowItems(settings, " · ", columns).map(palette.quiet),
  ];
}

function waveBlocks(plan: Plan, layout: PlanColumns): string[][] {
  const blocks: string[][] = plan.waves.map((_, wave) => [layout.palette.title(`Wave ${wave + 1}`)]);
  for (const step of plan.steps)
    if (step.wave !== null) for (const line of stepLines(step, layout)) blocks[step.wave]!.push(line);
  return blocks;
}

function absentBlock({ steps }: Plan, layout: PlanColumns): string[] {
  const absent = steps.filter(({ wave }) => wave === null);
  if (absent.length === 0) return [];
  return [layout.palette.title("In no wave"), ...absent.flatMap((step) => stepLines(step, layout))];
}

/** Marks differ in shape, not only in colour. */
const SIGNS: Readonly<Record<PlannedStep["verdict"]["kind"], string>> = {
  runs: "●",
  conditional: "○",
  "on-failure": "◇",
  skipped: "–",
  fails: "✗",
};

function stepLines(step: PlannedStep, layout: PlanColumns): string[] {
  const { palette, columns, indent } = layout;
  const width = columns - indent.length;
  const isSkipped = step.verdict.kind === "skipped";
  const [first = "", ...more] = wrapText(shorten(safeText(step.does), DOES_WIDTH_MAX), width);
  const lines = [...headLines(step, layout, first), ...more.map((line) => indent + line)];
  const details = stepDetails(step).flatMap(({ items, tone }) =>
    flowItems(items.map(safeText), " · ", width).map((line) => indent + (isSkipped ? line : palette[tone](line))),
  );
  return isSkipped ? [...lines, ...details].map(palette.quiet) : [...lines, ...details];
}

function headLines(step: PlannedStep, layout: PlanColumns, text: string): string[] {
  const isSkipped = step.verdict.kind === "skipped";
  const { palette, idWidth, kindWidth, indent } = layout;
  const sign = `  ${verdictSign(step, palette)} `;
  const kind = pad(step.kind, kindWidth);
  const tail = `${isSkipped ? kind : palette.accent(kind)}${GAP}${text}`;
  const id = isSkipped
    ? pad(step.id, idWidth)
    : palette.title(step.id) + " ".repeat(Math.max(0, idWidth - step.id.length));
  if (displayWidth(step.id) <= idWidth) return [`${sign}${id}${GAP}${tail}`.trimEnd()];
  return [sign + id, `${indent.slice(kindWidth + GAP.length)}${tail}`.trimEnd()];
}

function verdictSign({ verdict }: PlannedStep, palette: Palette): string {
  const sign = SIGNS[verdict.kind];
  switch (verdict.kind) {
    case "runs":
      return palette.good(sign);
    case "conditional":
    case "on-failure":
      return palette.caution(sign);
    case "fails":
      return palette.bad(sign);
    case "skipped":
      return sign;
  }
}
