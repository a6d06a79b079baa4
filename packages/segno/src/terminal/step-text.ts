// What a step wrote, on its way to a terminal. Steps may colour their lines; they may do nothing else to the terminal.
//
//   T1. Only colours pass: `CSI … m` of the seven-bit form, with numbers and separators, and only where colours are wanted.
//       Blinking and hidden letters are no colours.
//   T2. Titles, links, the clipboard, cursor movements, device strings and every other sequence are left out, and so are
//       control characters, marks of direction and other invisible letters.
//   T3. A line ends as it began: what it coloured is set back.
//   T4. One line in, one line out. Of a line that was written over with carriage returns the last state is shown.

import { displayWidth } from "./text-layout.ts";

export interface StepTextOptions {
  readonly color: boolean;
}

/** How a sequence may begin, and what belongs to it. The order matters: what is longer comes first. */
const SEQUENCE: RegExp = new RegExp(
  [
    "(?<color>\\u001b\\[(?<numbers>[0-9;:]{0,64})m)",
    // Control sequences: cursor, screen, modes, and colours in a form that T1 does not let pass.
    "(?:\\u001b\\[|\\u009b)[\\u0030-\\u003f]*[\\u0020-\\u002f]*[\\u0040-\\u007e]?",
    // Strings: titles and links (OSC), device control (DCS), SOS, PM and APC, up to their end or that of the line.
    "(?:\\u001b[\\]PX^_]|[\\u009d\\u0090\\u0098\\u009e\\u009f])[^\\u0007\\u001b\\u009c]*(?:\\u0007|\\u001b\\\\|\\u009c)?",
    // The remaining escapes: save the cursor, reset, choose a character set.
    "\\u001b[\\u0020-\\u002f]*[\\u0030-\\u007e]?",
    "(?<tab>\\t)",
    "(?<half>\\p{Surrogate})",
    "[\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff\\ufff9-\\ufffb]",
  ].join("|"),
  "gu",
);

/** What most lines hold: then there is nothing to do. */
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

/** What is left when everything was written over: the last stretch that says anything (T4). */
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

/** How many numbers follow `38`, `48` or `58` and belong to that colour. */
const COLOR_NUMBERS: Readonly<Record<string, number>> = { "2": 4, "5": 2 };

/** False when the numbers ask for blinking (5, 6) or hidden (8) letters. */
function isColorful(numbers: string): boolean {
  const each = numbers.split(";").map((number) => number.split(":"));
  for (let place = 0; place < each.length; place++) {
    const [first = "", ...rest] = each[place]!;
    if (/^0*[568]$/u.test(first)) return false;
    // `38;5;8` is a colour by its number; `38:5:8` has everything in one place.
    if (/^0*[345]8$/u.test(first) && rest.length === 0) place += COLOR_NUMBERS[each[place + 1]?.[0] ?? ""] ?? 0;
  }
  return true;
}
