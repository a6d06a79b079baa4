// How encoders of JSON, and printers of strings that do much the same, write a text between its quotes. They agree on what
// must be escaped and on little else.

interface EscapeStyle {
  /** Quotes that get a backslash. */
  readonly quotes: string;
  /** `\/` */
  readonly solidus: boolean;
  /** Characters that become `\uXXXX` although they need not. */
  readonly unicode: string;
  /** All that is not ASCII becomes `\uXXXX`. */
  readonly ascii: boolean;
  /** `\n` and the like; otherwise `\u000a`. */
  readonly short: boolean;
  readonly upper: boolean;
}

const PLAIN: EscapeStyle = { quotes: '"', solidus: false, unicode: "", ascii: false, short: true, upper: false };
const EVERYTHING: EscapeStyle = { ...PLAIN, unicode: "\"\\/<>&'+`=", ascii: true, short: false };

const STYLES: readonly EscapeStyle[] = [
  // ECMAScript, and nearly everybody else.
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
  // What `util.inspect` and `repr` print between single quotes, and between others.
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

/** Most secrets are written by all of them as they are. */
const NEVER_ESCAPED = /^[\w .:;,!?@#$%^*()[\]{}|~-]*$/u;

/** Once, and twice: JSON inside of JSON, whose outer part may be another's. */
export function jsonVariants(text: string): readonly string[] {
  if (NEVER_ESCAPED.test(text)) return [];
  return STYLES.flatMap((style) => {
    const once = escapeText(text, style);
    return [once, escapeText(once, style), escapeText(once, PLAIN)];
  });
}

function escapeText(text: string, style: EscapeStyle): string {
  let result = "";
  for (let at = 0; at < text.length; at++) result += escapedUnit(text[at]!, style);
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
