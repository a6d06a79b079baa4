// The artifacts of an execution as lines of text: step, path, size and the beginning of the hash.

import type { StepArtifact } from "@segno/kernel";

import { bytesText } from "../live/log-text.ts";
import { displayWidth, pad } from "../terminal/text-layout.ts";
import { widest } from "../terminal/widest.ts";
import { safeText } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** Enough to compare two files by eye. */
const HASH_DIGITS = 12;

export function artifactLines(
  artifacts: readonly StepArtifact[],
  { palette }: Pick<Terminal, "palette">,
): readonly string[] {
  const rows = artifacts.map(({ step, path, bytes, hash }) => ({
    step: safeText(step),
    path: safeText(path),
    size: bytesText(bytes),
    hash: hash.slice(0, HASH_DIGITS),
  }));
  const width = (column: "step" | "path" | "size"): number => widest(rows.map((row) => displayWidth(row[column])));
  const [step, path, size] = [width("step"), width("path"), width("size")];
  return rows.map(
    (row) => `${pad(row.step, step)}  ${pad(row.path, path)}  ${row.size.padStart(size)}  ${palette.quiet(row.hash)}`,
  );
}
