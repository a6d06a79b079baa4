// Mermaid output. Nodes have generated names (`s0`), and labels contain only letters, digits and numbered entities. So no text
// of a contract can end a label, open a directive or become markup where the picture is shown.

import { safeText } from "../terminal/safe-text.ts";
import { shorten } from "../terminal/text-layout.ts";
import type { GraphPicture, PictureEdge, PictureNode } from "./graph-picture.ts";

const LABEL_WIDTH_MAX = 40;

export function mermaid({ workflow, nodes, edges }: GraphPicture): string {
  const lines = [
    "---",
    `title: "${frontMatterText(workflow)}"`,
    "---",
    "flowchart LR",
    ...nodes.map((node, index) => `  s${index}${shape(node)}${node.isDisabled ? ":::disabled" : ""}`),
    ...edges.map((edge) => `  s${edge.from} ${ARROWS[edge.kind]} s${edge.to}`),
    ...fallbackStyle(edges),
    ...(nodes.some(({ isDisabled }) => isDisabled) ? [DISABLED_STYLE] : []),
  ];
  return `${lines.join("\n")}\n`;
}

const ARROWS: Readonly<Record<PictureEdge["kind"], string>> = {
  succeeded: "-->",
  settled: "-.->|settled|",
  fallback: "-.->|if it fails|",
};

const DISABLED_STYLE = "  classDef disabled fill:#f4f4f5,stroke:#a1a1aa,color:#71717a,stroke-dasharray:4 3";

/** Mermaid has only one dashed line; the dashes of fallbacks are set by style. */
function fallbackStyle(edges: readonly PictureEdge[]): readonly string[] {
  const places = [...edges.keys()].filter((index) => edges[index]!.kind === "fallback");
  return places.length === 0 ? [] : [`  linkStyle ${places.join(",")} stroke-dasharray:2 4`];
}

const SHAPES: Readonly<Record<PictureNode["kind"], readonly [string, string]>> = {
  run: ["[", "]"],
  exec: ["[", "]"],
  agent: ["([", "])"],
  http: ["[/", "/]"],
  workflow: ["[[", "]]"],
  map: ["[[", "]]"],
  repeat: ["[[", "]]"],
  wait: ["(", ")"],
  approve: ["{{", "}}"],
  barrier: ["[/", "\\]"],
};

function shape({ id, name, kind, does, isDisabled }: PictureNode): string {
  const [open, close] = SHAPES[kind];
  const about = labelText(shorten(`${kind}: ${name ?? does}`, LABEL_WIDTH_MAX));
  return `${open}"${labelText(id)}<br/>${about}${isDisabled ? "<br/>disabled" : ""}"${close}`;
}

function labelText(text: string): string {
  return safeText(text).replaceAll(/[^\p{L}\p{M}\p{N} .,:/_…-]/gu, (character) => `#${character.codePointAt(0)};`);
}

/** For a quoted YAML string, with every character escaped that YAML or Mermaid might interpret. */
function frontMatterText(text: string): string {
  return safeText(text).replaceAll(/[^\p{L}\p{M}\p{N} .,:_-]/gu, (character) => {
    const code = character.codePointAt(0)!.toString(16);
    return code.length <= 4 ? `\\u${code.padStart(4, "0")}` : `\\U${code.padStart(8, "0")}`;
  });
}
