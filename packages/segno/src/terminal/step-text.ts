// Filters the output of steps for the terminal. Steps may colour their lines, and have no other effect on the terminal.
//   T1. Only colours pass: `CSI … m` of the seven-bit form, with numbers and separators, and only if colours are enabled.
//       Blinking and hidden text do not count as colours.
//   T2. Titles, links, the clipboard, cursor movements, device strings and every other sequence are removed, and so are control
//       characters, marks of direction and other invisible characters.
//   T3. Colours are reset at the end of a line.
//   T4. One line in, one line out. For a line that was overwritten with carriage returns, the last state is shown.

import { displayWidth } from "./text-layout.ts";

export interface StepTextOptions {
  readonly color: boolean;
}

/** The beginnings of sequences and what belongs to each. The order matters: longer ones come first. */
const SEQUENCE: RegExp = new RegExp(
  [
    "(?<color>\\u001b\\[(?<numbers>[0-9;:]{0,64})m)",
    // Control sequences: cursor, screen, modes, and colours in a form that T1 does not allow.
    "(?:\\u001b\\[|\\u009b)[\\u0030-\\u003f]*[\\u0020-\\u002f]*[\\u0040-\\u007e]?",
    // Strings: titles and links (OSC), device control (DCS), SOS, PM and APC, up to their end or the end of the line.
    "(?:\\u001b[\\]PX^_]|[\\u009d\\u0090\\u0098\\u009e\\u009f])[^\\u0007\\u001b\\u009c]*(?:\\u0007|\\u001b\\\\|\\u009c)?",
    // Other escapes: save the cursor, reset, choose a character set.
    "\\u001b[\\u0020-\\u002f]*[\\u0030-\\u007e]?",
    "(?<tab>\\t)",
    "(?<half>\\p{Surrogate})",
    "[\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff\\ufff9-\\ufffb]",
  ].join("|"),
  "gu",
);

/** Most lines match this and need no filtering. */
const HARMLESS = /^[\u0020-\u007e\u00a0-\u00ac\u00ae-\u0300]*$/u;

const RESET = "\u001b[0m";
const TAB_COLUMNS = 8;
const REPLACEMENT = "\ufffd";

export function stepText(line: string, { color }: StepTextOptions): string {
  if (HARMLESS.test(line)) return line;
  let text = "";
  let column = 0;
  let isColored = false;
  let end = 0;
  const shown = lastState(line);
  for (const match of shown.matchAll(SEQUENCE)) {
    const plain = shown.slice(end, match.index);
    end = match.index + match[0].length;
    text += plain;
    column += displayWidth(plain);
    const put = replacement(match, column, color);
    text += put.text;
    column += put.columns;
    isColored ||= put.isColor;
  }
  text += shown.slice(end);
  return isColored ? text + RESET : text;
}

/** The last overwritten stretch with visible text (T4). */
function lastState(line: string): string {
  if (!line.includes("\r")) return line;
  return line.split(/\r|\n/u).findLast((stretch) => stretch !== "") ?? "";
}

interface Put {
  readonly text: string;
  readonly columns: number;
  readonly isColor: boolean;
}

const NOTHING: Put = { text: "", columns: 0, isColor: false };

function replacement({ groups = {} }: RegExpMatchArray, column: number, color: boolean): Put {
  if (groups["color"] !== undefined && color && isColorful(groups["numbers"]!))
    return { text: groups["color"], columns: 0, isColor: true };
  if (groups["tab"] !== undefined) {
    const columns = TAB_COLUMNS - (column % TAB_COLUMNS);
    return { text: " ".repeat(columns), columns, isColor: false };
  }
  return groups["half"] === undefined ? NOTHING : { text: REPLACEMENT, columns: 1, isColor: false };
}

/** The number of parameters after `38`, `48` or `58` that belong to that colour. */
const COLOR_NUMBERS: Readonly<Record<string, number>> = { "2": 4, "5": 2 };

/** Returns false for blinking (5, 6) or hidden (8) text. */
function isColorful(numbers: string): boolean {
  const each = numbers.split(";").map((number) => number.split(":"));
  for (let place = 0; place < each.length; place++) {
    const [first = "", ...rest] = each[place]!;
    if (/^0*[568]$/u.test(first)) return false;
    // `38;5;8` is an indexed colour; `38:5:8` is a single parameter.
    if (/^0*[345]8$/u.test(first) && rest.length === 0) place += COLOR_NUMBERS[each[place + 1]?.[0] ?? ""] ?? 0;
  }
  return true;
}
