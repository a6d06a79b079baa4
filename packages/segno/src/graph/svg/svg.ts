// A self-contained SVG picture: no script, no font, no link. It follows the reader's light or dark preference.

import type { GraphPicture, PictureEdge } from "../graph-picture.ts";
import type { Point } from "./graph-layout.ts";
import { computeLayout } from "./layout.ts";
import { nodeShape, nodeSizes, round } from "./node-shape.ts";
import { STYLE } from "./style.ts";
import { xmlText } from "./xml-text.ts";

const MARGIN = 28;
const HEADING_HEIGHT = 58;
const LEGEND_HEIGHT = 34;
const LEGEND_STEP = 230;
const WIDTH_MIN = 360;

export async function svg(picture: GraphPicture): Promise<string> {
  const sizes = nodeSizes(picture.nodes);
  const layout = await computeLayout(picture, sizes);
  const legend = legendEntries(picture.edges);
  const width = Math.ceil(Math.max(WIDTH_MIN, layout.width + 2 * MARGIN));
  const bottom = HEADING_HEIGHT + layout.height + MARGIN;
  const height = Math.ceil(bottom + (legend.length > 0 ? LEGEND_HEIGHT : 0));
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title">`,
    `<title id="title">${xmlText(`Steps of ${picture.workflow}`)}</title>`,
    `<style>${STYLE}</style>`,
    `<defs>${arrowHead("head")}${arrowHead("head-fallback")}</defs>`,
    `<rect class="paper" width="${width}" height="${height}"/>`,
    heading(picture),
    `<g transform="translate(${MARGIN} ${HEADING_HEIGHT})">`,
    ...picture.edges.map((edge, index) => line(edge, layout.routes[index]!)),
    ...picture.nodes.map((node, index) => nodeShape(node, layout.centres[index]!, sizes[index]!)),
    "</g>",
    ...legend.map((entry, index) => legendLine(entry, MARGIN + index * LEGEND_STEP, bottom + 2)),
    "</svg>",
  ];
  return `${lines.join("\n")}\n`;
}

function arrowHead(name: string): string {
  const shape = `<path class="${name}" d="M0 0 8 4 0 8z"/>`;
  return `<marker id="${name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto">${shape}</marker>`;
}

function heading({ workflow, version, nodes, waveCount }: GraphPicture): string {
  const count = `${nodes.length} ${nodes.length === 1 ? "step" : "steps"}, ${waveCount} ${waveCount === 1 ? "wave" : "waves"}`;
  const note = version === undefined ? count : `${version} · ${count}`;
  return `<text class="heading" x="${MARGIN}" y="26">${xmlText(workflow)}</text><text class="note" x="${MARGIN}" y="43">${xmlText(note)}</text>`;
}

function line({ kind }: PictureEdge, route: readonly Point[]): string {
  return `<path class="edge ${kind}" marker-end="url(#${kind === "fallback" ? "head-fallback" : "head"})" d="${curve(route)}"/>`;
}

/** Draws an S curve between two points that leaves and arrives horizontally. */
function curve(route: readonly Point[]): string {
  const [start, ...rest] = route;
  if (start === undefined) return "M0 0";
  let path = `M${round(start.x)} ${round(start.y)}`;
  let from = start;
  for (const to of rest) {
    const middle = round((from.x + to.x) / 2);
    path += `C${middle} ${round(from.y)} ${middle} ${round(to.y)} ${round(to.x)} ${round(to.y)}`;
    from = to;
  }
  return path;
}

const LEGEND: Readonly<Partial<Record<PictureEdge["kind"], string>>> = {
  settled: "after its end, however it ends",
  fallback: "only if it fails",
};

interface LegendEntry {
  readonly kind: PictureEdge["kind"];
  readonly text: string;
}

/** The legend contains only symbols that the picture uses and that need an explanation. */
function legendEntries(edges: readonly PictureEdge[]): readonly LegendEntry[] {
  const kinds = [...new Set(edges.map(({ kind }) => kind))];
  return kinds.flatMap((kind) => (LEGEND[kind] === undefined ? [] : [{ kind, text: LEGEND[kind] }]));
}

function legendLine({ kind, text }: LegendEntry, x: number, y: number): string {
  return `${line({ kind, from: 0, to: 0 }, [
    { x, y },
    { x: x + 34, y },
  ])}<text class="note" x="${x + 42}" y="${y + 4}">${text}</text>`;
}
