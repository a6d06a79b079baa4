// The report of `segno code conformance`.

import type { ConformanceCheck } from "@segno/code";

import { safeText } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { wrapText } from "../terminal/text-layout.ts";

const VERDICT_WIDTH = "failed".length;

export function conformanceText(checks: readonly ConformanceCheck[], { palette, columns }: Terminal): string {
  const nameWidth = Math.max(...checks.map(({ name }) => name.length));
  const indent = VERDICT_WIDTH + nameWidth + 4;
  const lines = checks.flatMap(({ name, passed, detail }) => {
    const verdict = (passed ? "ok" : "failed").padEnd(VERDICT_WIDTH);
    const head = `${palette[passed ? "good" : "bad"](verdict)}  ${palette.title(name.padEnd(nameWidth))}`;
    const body = wrapText(safeText(detail), columns - indent);
    return body.map((line, place) => `${place === 0 ? head : " ".repeat(indent - 2)}  ${line}`);
  });
  const failures = checks.filter(({ passed }) => !passed).length;
  const summary = failures === 0 ? palette.good("all passed") : palette.bad(`${failures} failed`);
  return `${[...lines, "", `${checks.length} checks: ${summary}`].join("\n")}\n`;
}
