import { groupedDigits } from "@segno/contract";
import { SegnoError } from "@segno/kernel";

import { safeJson } from "../terminal/safe-text.ts";
import { dot } from "./dot.ts";
import type { GraphFormat } from "./graph-format.ts";
import { graphJson } from "./graph-json.ts";
import type { GraphPicture } from "./graph-picture.ts";
import { mermaid } from "./mermaid.ts";

export async function renderGraph(picture: GraphPicture, format: GraphFormat): Promise<string> {
  switch (format) {
    case "mermaid":
      return mermaid(picture);
    case "dot":
      return dot(picture);
    case "json":
      return `${safeJson(graphJson(picture))}\n`;
    case "svg":
      refuseLargePicture(picture);
      return (await import("./svg/svg.ts")).svg(picture);
  }
}

/** No viewer shows a larger picture, and it could not be read. */
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
