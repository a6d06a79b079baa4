// A step as people are told of it: by its name, which commands take, and by the label of its item where it has one.
//
//   T1. The name is never given up for the label: where there is little room, the label is what is cut.

import { safeText } from "../terminal/safe-text.ts";
import { displayWidth, shorten, shortenMiddle } from "../terminal/text-layout.ts";

export interface Titled {
  readonly name: string;
  readonly label?: string | undefined;
}

/** A label is short, but what is not safe in it takes more room when it is shown. */
const LABEL_COLUMNS_MAX = 80;
/** Of a label that is cut to less than this nobody learns anything. */
const LABEL_COLUMNS_MIN = 4;
/** The space before a label and what stands around it. */
const AROUND_COLUMNS = 3;

/** What follows the name: `(cat.jpg)`, or nothing. Safe to show. */
export function labelText(label: string | undefined, columnsMax: number = LABEL_COLUMNS_MAX): string {
  return label === undefined ? "" : `(${shortenMiddle(safeText(label), columnsMax)})`;
}

export function titleText({ name, label }: Titled): string {
  return label === undefined ? safeText(name) : `${safeText(name)} ${labelText(label)}`;
}

/** In at most so many columns. */
export function titleWithin({ name, label }: Titled, columns: number): string {
  const safe = safeText(name);
  const room = Math.min(LABEL_COLUMNS_MAX, columns - displayWidth(safe) - AROUND_COLUMNS);
  const needed = label === undefined ? 0 : Math.min(LABEL_COLUMNS_MIN, displayWidth(safeText(label)));
  return label === undefined || room < needed ? shorten(safe, columns) : `${safe} ${labelText(label, room)}`;
}
