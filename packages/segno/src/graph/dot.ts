// Graphviz output. Every name and label is a quoted string, in which only quotes and backslashes are special.

import { safeText } from "../terminal/safe-text.ts";
import { shorten } from "../terminal/text-layout.ts";
import type { GraphPicture, PictureEdge, PictureNode } from "./graph-picture.ts";

const LABEL_WIDTH_MAX = 40;

export function dot({ workflow, nodes, edges }: GraphPicture): string {
  const lines = [
    `digraph ${quote(workflow)} {`,
    "  rankdir=LR;",
    '  node [shape=box, style=rounded, fontname="Helvetica", fontsize=11];',
    '  edge [fontname="Helvetica", fontsize=9];',
    ...nodes.map((node) => `  ${quote(node.id)} [${nodeAttributes(node)}];`),
    ...edges.map(
      ({ from, to, kind }) => `  ${quote(nodes[from]!.id)} -> ${quote(nodes[to]!.id)}${EDGE_ATTRIBUTES[kind]};`,
    ),
    "}",
  ];
  return `${lines.join("\n")}\n`;
}

const EDGE_ATTRIBUTES: Readonly<Record<PictureEdge["kind"], string>> = {
  succeeded: "",
  settled: ' [style=dashed, label="settled"]',
  fallback: ' [style=dotted, label="if it fails"]',
};

const SHAPES: Readonly<Partial<Record<PictureNode["kind"], string>>> = {
  agent: "ellipse",
  workflow: "box3d",
  map: "folder",
  wait: "cds",
  approve: "hexagon",
  barrier: "trapezium",
};

function nodeAttributes(node: PictureNode): string {
  const shape = SHAPES[node.kind];
  return [
    `label=${label(node)}`,
    ...(shape === undefined ? [] : [`shape=${shape}`, 'style=""']),
    ...(node.isDisabled ? ["style=dashed", 'color="#a1a1aa"', 'fontcolor="#71717a"'] : []),
  ].join(", ");
}

/** Joins the lines of a label after escaping, so that `\n` stays a line break. */
function label({ id, name, kind, does, isDisabled }: PictureNode): string {
  const lines = [id, shorten(`${kind}: ${name ?? does}`, LABEL_WIDTH_MAX), ...(isDisabled ? ["disabled"] : [])];
  return `"${lines.map(escapeText).join("\\n")}"`;
}

function quote(text: string): string {
  return `"${escapeText(text)}"`;
}

function escapeText(text: string): string {
  return safeText(text).replaceAll(/["\\]/gu, String.raw`\$&`);
}
