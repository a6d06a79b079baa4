// The title of a step: its name, which commands accept, and the label of its map item.
//   T1. The name is complete as long as possible: in a narrow column the label is cut first.

import { safeText } from "../terminal/safe-text.ts";
import { displayWidth, shorten, shortenMiddle } from "../terminal/text-layout.ts";

export interface Titled {
  readonly name: string;
  readonly label?: string | undefined;
}

/** Labels are short, but escaping may lengthen them. */
const LABEL_COLUMNS_MAX = 80;
/** A label that is cut shorter than this is useless. */
const LABEL_COLUMNS_MIN = 4;
/** The space before a label and its parentheses. */
const AROUND_COLUMNS = 3;

/** The escaped label in parentheses, such as `(cat.jpg)`, or an empty text. */
export function labelText(label: string | undefined, columnsMax: number = LABEL_COLUMNS_MAX): string {
  return label === undefined ? "" : `(${shortenMiddle(safeText(label), columnsMax)})`;
}

export function titleText({ name, label }: Titled): string {
  return label === undefined ? safeText(name) : `${safeText(name)} ${labelText(label)}`;
}

/** Fits the title into `columns`. */
export function titleWithin({ name, label }: Titled, columns: number): string {
  const safe = safeText(name);
  const room = Math.min(LABEL_COLUMNS_MAX, columns - displayWidth(safe) - AROUND_COLUMNS);
  const needed = label === undefined ? 0 : Math.min(LABEL_COLUMNS_MIN, displayWidth(safeText(label)));
  return label === undefined || room < needed ? shorten(safe, columns) : `${safe} ${labelText(label, room)}`;
}
