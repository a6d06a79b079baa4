// Variants of a text in JSON strings, and in similar printers of strings. Encoders agree on the mandatory escapes and
// on little else.

interface EscapeStyle {
  /** Quotes that are escaped by a backslash. */
  readonly quotes: string;
  /** Escapes `/` as `\/`. */
  readonly solidus: boolean;
  /** Characters that are optionally written as `\uXXXX`. */
  readonly unicode: string;
  /** Writes all non-ASCII characters as `\uXXXX`. */
  readonly ascii: boolean;
  /** Uses `\n` and the like; otherwise `\u000a`. */
  readonly short: boolean;
  readonly upper: boolean;
}

const PLAIN: EscapeStyle = { quotes: '"', solidus: false, unicode: "", ascii: false, short: true, upper: false };
const EVERYTHING: EscapeStyle = { ...PLAIN, unicode: "\"\\/<>&'+`=", ascii: true, short: false };

const STYLES: readonly EscapeStyle[] = [
  // ECMAScript, and most other encoders.
  PLAIN,
  { ...PLAIN, solidus: true },
  // Python.
  { ...PLAIN, ascii: true },
  // PHP.
  { ...PLAIN, ascii: true, solidus: true },
  // Go.
  { ...PLAIN, unicode: "<>&\u2028\u2029" },
  // .NET.
  { ...PLAIN, unicode: "\"&'+<>`", ascii: true, upper: true },
  EVERYTHING,
  { ...EVERYTHING, upper: true },
  // `util.inspect` and `repr`, with single quotes and with other quotes.
  { ...PLAIN, quotes: "'" },
  { ...PLAIN, quotes: "" },
];

const SHORT: ReadonlyMap<string, string> = new Map([
  ["\\", "\\\\"],
  ["\b", "\\b"],
  ["\f", "\\f"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

/** All encoders write most secrets unchanged. */
const NEVER_ESCAPED = /^[\w .:;,!?@#$%^*()[\]{}|~-]*$/u;

/** Encoded once and twice: JSON inside JSON, whose outer encoder may be a different one. */
export function jsonVariants(text: string): readonly string[] {
  if (NEVER_ESCAPED.test(text)) return [];
  return STYLES.flatMap((style) => {
    const once = escapeText(text, style);
    return [once, escapeText(once, style), escapeText(once, PLAIN)];
  });
}

function escapeText(text: string, style: EscapeStyle): string {
  let result = "";
  for (let index = 0; index < text.length; index++) result += escapedUnit(text[index]!, style);
  return result;
}

function escapedUnit(unit: string, style: EscapeStyle): string {
  const code = unit.charCodeAt(0);
  if (style.unicode.includes(unit) || (style.ascii && code > 0x7e)) return hexEscape(code, style);
  if (style.quotes.includes(unit)) return `\\${unit}`;
  if (unit === "/") return style.solidus ? "\\/" : "/";
  const short = SHORT.get(unit);
  if (short !== undefined && (style.short || unit === "\\")) return short;
  return code < 0x20 ? hexEscape(code, style) : unit;
}

function hexEscape(code: number, { upper }: EscapeStyle): string {
  const digits = code.toString(16).padStart(4, "0");
  return `\\u${upper ? digits.toUpperCase() : digits}`;
}
