// `segno graph`: steps and dependencies, drawn or written down for a program that draws.

import { groupedDigits } from "@segno/contract";
import { compileOrThrow, SegnoError } from "@segno/kernel";

import { loadContractDocument } from "../document/contract-document.ts";
import { EXIT_CODES, type ExitCode } from "../exit-code.ts";
import { dot } from "../graph/dot.ts";
import type { GraphFormat } from "../graph/graph-format.ts";
import { graphJson } from "../graph/graph-json.ts";
import { graphPicture, type GraphPicture } from "../graph/graph-picture.ts";
import { mermaid } from "../graph/mermaid.ts";
import { safeJson } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { reportProblems } from "../reports/problem-report.ts";

export interface GraphOptions {
  readonly format: GraphFormat;
}

export async function graph(file: string, { format }: GraphOptions, terminal: Terminal): Promise<ExitCode> {
  const loaded = await loadContractDocument(file);
  if (loaded.kind === "problems") return reportProblems(loaded, terminal);
  terminal.print(await render(graphPicture(compileOrThrow(loaded.definition)), format));
  return EXIT_CODES.ok;
}

async function render(picture: GraphPicture, format: GraphFormat): Promise<string> {
  switch (format) {
    case "mermaid":
      return mermaid(picture);
    case "dot":
      return dot(picture);
    case "json":
      return `${safeJson(graphJson(picture))}\n`;
    case "svg":
      refuseLargePicture(picture);
      return (await import("../graph/svg/svg.ts")).svg(picture);
  }
}

/** Beyond this no viewer shows it and nobody can read it. */
const SVG_STEPS_MAX = 5000;
const SVG_EDGES_MAX = 50_000;

function refuseLargePicture({ nodes, edges }: GraphPicture): void {
  if (nodes.length <= SVG_STEPS_MAX && edges.length <= SVG_EDGES_MAX) return;
  const limit = `${groupedDigits(SVG_STEPS_MAX)} steps and ${groupedDigits(SVG_EDGES_MAX)} dependencies`;
  const found = `${groupedDigits(nodes.length)} and ${groupedDigits(edges.length)}`;
  throw new SegnoError(
    "GRAPH_TOO_LARGE",
    `expected at most ${limit} for svg, found ${found}; --format dot or json has no limit`,
  );
}
