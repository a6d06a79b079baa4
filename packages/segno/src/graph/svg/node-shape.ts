// Draws a step as a box with an icon, its id, and below it what the step does.

import { displayWidth, shorten } from "../../terminal/text-layout.ts";
import type { PictureNode } from "../graph-picture.ts";
import { icon } from "./icon.ts";
import type { Point, NodeSize } from "./graph-layout.ts";
import { xmlText } from "./xml-text.ts";

const HEIGHT = 52;
const WIDTH_MIN = 120;
const TEXT_LEFT = 40;
const PADDING_RIGHT = 16;
/** Measured with common system fonts and rounded up, because no font is available here. */
const ID_COLUMN_PX = 7.7;
const ABOUT_COLUMN_PX = 6.2;
const ID_COLUMNS_MAX = 28;
const ABOUT_COLUMNS_MAX = 32;

/** All nodes have one size, so that columns are straight. */
export function nodeSizes(nodes: readonly PictureNode[]): readonly NodeSize[] {
  const width = nodes.reduce((most, node) => Math.max(most, neededWidth(node)), WIDTH_MIN);
  return nodes.map(() => ({ width, height: HEIGHT }));
}

function neededWidth(node: PictureNode): number {
  const text = Math.max(displayWidth(idText(node)) * ID_COLUMN_PX, displayWidth(aboutText(node)) * ABOUT_COLUMN_PX);
  return Math.ceil(TEXT_LEFT + text + PADDING_RIGHT + slant(node));
}

export function nodeShape(node: PictureNode, centre: Point, size: NodeSize): string {
  const left = round(centre.x - size.width / 2);
  const top = round(centre.y - size.height / 2);
  const textLeft = TEXT_LEFT + slant(node) / 2;
  return [
    `<g class="${node.kind}${node.isDisabled ? " disabled" : ""}" transform="translate(${left} ${top})">`,
    `<title>${xmlText(`${node.id} (${node.kind}): ${node.does}`)}</title>`,
    outline(node.kind, size),
    icon(node.kind, 22 + slant(node) / 2, size.height / 2),
    `<text class="id" x="${textLeft}" y="22">${xmlText(idText(node))}</text>`,
    `<text class="about" x="${textLeft}" y="39">${xmlText(aboutText(node))}</text>`,
    "</g>",
  ].join("");
}

const idText = ({ id }: PictureNode): string => shorten(id, ID_COLUMNS_MAX);

function aboutText({ kind, name, does, isDisabled }: PictureNode): string {
  const about = `${kind} · ${name ?? does}`.replaceAll(/\s+/gu, " ");
  return shorten(isDisabled ? `disabled · ${about}` : about, ABOUT_COLUMNS_MAX);
}

/** Pointed and round ends need extra room on both sides. */
function slant({ kind }: PictureNode): number {
  return kind === "approve" ? 20 : kind === "agent" || kind === "wait" ? 10 : 0;
}

function outline(kind: PictureNode["kind"], { width, height }: NodeSize): string {
  const box = (inset: number, radius: number): string =>
    `<rect class="shape" x="${inset}" y="${inset}" width="${width - 2 * inset}" height="${height - 2 * inset}" rx="${radius}"/>`;
  switch (kind) {
    case "run":
    case "exec":
    case "http":
      return box(0, 8);
    case "agent":
    case "wait":
      return box(0, height / 2);
    case "workflow":
    case "repeat":
      return box(0, 9) + box(3.5, 6);
    case "map":
      return `<rect class="shape" x="6" y="-6" width="${width}" height="${height}" rx="8"/><rect class="shape" x="3" y="-3" width="${width}" height="${height}" rx="8"/>${box(0, 8)}`;
    case "barrier":
      return `${box(0, 2)}<path class="shape" d="M5 0V${height}M${width - 5} 0V${height}"/>`;
    case "approve":
      return `<path class="shape" stroke-linejoin="round" d="M16 0H${width - 16}L${width} ${height / 2} ${width - 16} ${height}H16L0 ${height / 2}Z"/>`;
  }
}

export function round(value: number): number {
  return Math.round(value * 10) / 10;
}
