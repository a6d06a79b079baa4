// A plan for people: a block for each wave, a line for each step, and below it what it needs, quietly.

import { safeText } from "../terminal/safe-text.ts";
import type { Palette } from "../terminal/palette.ts";
import { displayWidth, flowed, padded, shortened, wrapped } from "../terminal/text-layout.ts";
import { durationText } from "./duration-text.ts";
import type { Plan, PlannedStep } from "./plan.ts";
import { shortHash } from "./short-hash.ts";
import { stepDetails } from "./step-details.ts";

export interface PlanTextOptions {
  readonly palette: Palette;
  readonly columns: number;
}

/** Longer ids get a line of their own instead of pushing everything to the right. */
const ID_WIDTH_MAX = 24;
const DOES_WIDTH_MAX = 160;
const GAP = "  ";

export function planText(plan: Plan, options: PlanTextOptions): string {
  const layout = layoutOf(plan, options);
  const blocks = [
    header(plan, options),
    ...waveBlocks(plan, layout),
    absentBlock(plan, layout),
    [summary(plan)],
    hint(plan, options),
  ];
  return `${blocks
    .filter((block) => block.length > 0)
    .map((block) => block.join("\n"))
    .join("\n\n")}\n`;
}

interface Layout extends PlanTextOptions {
  readonly idWidth: number;
  readonly kindWidth: number;
  readonly indent: string;
}

function layoutOf({ steps }: Plan, options: PlanTextOptions): Layout {
  const idWidth = Math.min(ID_WIDTH_MAX, Math.max(0, ...lengths(steps.map(({ id }) => id))));
  const kindWidth = Math.max(0, ...lengths(steps.map(({ kind }) => kind)));
  // Two for the margin, two for the mark, and a gap behind id and kind.
  const indent = " ".repeat(4 + idWidth + GAP.length + kindWidth + GAP.length);
  return { ...options, idWidth, kindWidth, indent };
}

/** Widths without repetition, so that they can be spread into a call however many steps there are. */
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
      : wrapped(shortened(safeText(description.trim().replaceAll(/\s+/gu, " ")), 4 * columns), columns);
  return [
    `${name}  ${palette.quiet(shortHash(hash))}`,
    ...about,
    ...flowed(settings, " · ", columns).map(palette.quiet),
  ];
}

function waveBlocks(plan: Plan, layout: Layout): string[][] {
  const blocks: string[][] = plan.waves.map((_, wave) => [layout.palette.title(`Wave ${wave + 1}`)]);
  for (const step of plan.steps) if (step.wave !== null) blocks[step.wave]!.push(...stepLines(step, layout));
  return blocks;
}

function absentBlock({ steps }: Plan, layout: Layout): string[] {
  const absent = steps.filter(({ wave }) => wave === null);
  if (absent.length === 0) return [];
  return [layout.palette.title("In no wave"), ...absent.flatMap((step) => stepLines(step, layout))];
}

/** Signs differ in shape, not only in colour. */
const SIGNS: Readonly<Record<PlannedStep["verdict"]["kind"], string>> = {
  runs: "●",
  conditional: "○",
  "on-failure": "◇",
  skipped: "–",
  fails: "✗",
};

function stepLines(step: PlannedStep, layout: Layout): string[] {
  const { palette, columns, indent } = layout;
  const width = columns - indent.length;
  const isSkipped = step.verdict.kind === "skipped";
  const [first = "", ...more] = wrapped(shortened(safeText(step.does), DOES_WIDTH_MAX), width);
  const lines = [...headLines(step, layout, first), ...more.map((line) => indent + line)];
  const details = stepDetails(step).flatMap(({ items, tone }) =>
    flowed(items.map(safeText), " · ", width).map((line) => indent + (isSkipped ? line : palette[tone](line))),
  );
  return isSkipped ? [...lines, ...details].map(palette.quiet) : [...lines, ...details];
}

function headLines(step: PlannedStep, layout: Layout, text: string): string[] {
  const isSkipped = step.verdict.kind === "skipped";
  const { palette, idWidth, kindWidth, indent } = layout;
  const sign = `  ${signOf(step, palette)} `;
  const kind = padded(step.kind, kindWidth);
  const tail = `${isSkipped ? kind : palette.accent(kind)}${GAP}${text}`;
  const id = isSkipped
    ? padded(step.id, idWidth)
    : palette.title(step.id) + " ".repeat(Math.max(0, idWidth - step.id.length));
  if (displayWidth(step.id) <= idWidth) return [`${sign}${id}${GAP}${tail}`.trimEnd()];
  return [sign + id, `${indent.slice(kindWidth + GAP.length)}${tail}`.trimEnd()];
}

function signOf({ verdict }: PlannedStep, palette: Palette): string {
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

function summary({ steps, waves, counts }: Plan): string {
  const parts = [
    `${counted(steps.length, "step")} in ${counted(waves.length, "wave")}`,
    ...(counts.skipped === 0 ? [] : [`${counts.skipped} skipped`]),
    ...(counts.conditional === 0 ? [] : [`${counts.conditional} may be skipped`]),
    ...(counts["on-failure"] === 0 ? [] : [`${counts["on-failure"]} only on failure`]),
    ...(counts.fails === 0 ? [] : [`${counts.fails} would fail`]),
  ];
  return parts.join(", ");
}

function counted(count: number, noun: string): string {
  return `${count} ${count === 1 ? noun : `${noun}s`}`;
}

/** Said only where it would help: some condition waits for nothing but the input. */
function hint({ steps, hasInput }: Plan, { palette }: PlanTextOptions): string[] {
  if (hasInput) return [];
  const waiting = steps.filter(({ verdict }) => verdict.kind === "conditional" && verdict.reads.every(isOfInput));
  return waiting.length === 0
    ? []
    : [
        palette.quiet(
          `--input '{…}' decides ${waiting.length === 1 ? "the condition" : "the conditions"} of ${someOf(waiting)}.`,
        ),
      ];
}

const isOfInput = (read: string): boolean => read === "input" || read.startsWith("input.");

function someOf(steps: readonly PlannedStep[]): string {
  const shown = steps.slice(0, 3).map(({ id }) => id);
  return steps.length > shown.length ? `${shown.join(", ")} and ${steps.length - shown.length} more` : shown.join(", ");
}
