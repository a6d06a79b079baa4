// Lays text out in columns: its width on a terminal, and its line breaks.

/** Ranges of characters that take two columns: Hangul, CJK and its full-width forms, emoji. */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0xa4cf],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f300, 0x1faff],
  [0x20000, 0x3fffd],
];

/** Combining marks and emoji joiners take no column of their own. */
const MARK = /^(?:\p{M}|\u200d)$/u;

export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

function characterWidth(character: string): number {
  const code = character.codePointAt(0)!;
  if (code < 0x300) return 1;
  if (MARK.test(character)) return 0;
  return WIDE.some(([first, last]) => code >= first && code <= last) ? 2 : 1;
}

/** Pads with spaces on the right. */
export function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - displayWidth(text)));
}

/** Cuts the text to `width` columns and marks the cut. */
export function shorten(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  const [head] = splitAt(text, width - 1);
  // At least one character is split off, even if it is wider than the room.
  return displayWidth(head) < width ? `${head.trimEnd()}…` : "…";
}

/** Like `shorten`, but cuts in the middle, because long texts often differ at their ends. */
export function shortenMiddle(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  const points = Array.from(text);
  let left = width - 1;
  let [from, to] = [0, points.length];
  for (let isHead = true; from < to; isHead = !isHead) {
    const wide = characterWidth(points[isHead ? from : to - 1]!);
    if (wide > left) break;
    left -= wide;
    if (isHead) from++;
    else to--;
  }
  return `${points.slice(0, from).join("")}…${points.slice(to).join("")}`;
}

/** Breaks lines between words if possible, otherwise inside a word. */
export function wrapText(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const joined = line === "" ? word : `${line} ${word}`;
    if (displayWidth(joined) <= width) {
      line = joined;
      continue;
    }
    if (line !== "") lines.push(line);
    line = word;
    while (displayWidth(line) > width) {
      const [head, tail] = splitAt(line, width);
      lines.push(head);
      line = tail;
    }
  }
  return line === "" && lines.length > 0 ? lines : [...lines, line];
}

function splitAt(text: string, width: number): [string, string] {
  let used = 0;
  let end = 0;
  for (const character of text) {
    used += characterWidth(character);
    if (used > width && end > 0) break;
    end += character.length;
  }
  return [text.slice(0, end), text.slice(end)];
}

/** Joins items with `gap` between them; an item moves to the next line as a whole if it fits there. */
export function flowItems(items: readonly string[], gap: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const item of items) {
    const joined = line === "" ? item : line + gap + item;
    if (line !== "" && displayWidth(joined) > width) {
      for (const part of wrapText(line, width)) lines.push(part);
      line = item;
    } else line = joined;
  }
  return line === "" ? lines : [...lines, ...wrapText(line, width)];
}
