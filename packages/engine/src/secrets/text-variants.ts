// Variants of a text in URLs, in XML and HTML, and in shells.

interface UrlStyle {
  /** Characters that stay unchanged, apart from letters and digits. */
  readonly kept: string;
  /** The encoding of a space. */
  readonly space: "+" | "%20";
}

const URL_STYLES: readonly UrlStyle[] = [
  // encodeURIComponent
  { kept: "-_.!~*'()", space: "%20" },
  // Form encoding of browsers and Java.
  { kept: "*-._", space: "+" },
  // RFC 3986, and Python's form encoding.
  { kept: "-_.~", space: "%20" },
  { kept: "-_.~", space: "+" },
  // A path, and encodeURI.
  { kept: "-_.~/", space: "%20" },
  { kept: "-_.!~*'();/?:@&=+$,#", space: "%20" },
];

/** Each with lower-case and upper-case digits. */
export function urlVariants(text: string): readonly string[] {
  if (/^[\w.-]*$/u.test(text)) return [];
  return URL_STYLES.flatMap((style) => {
    const characters = Array.from(text, (character) => percentEncoded(character, style));
    return [characters.join(""), characters.map(lowerCaseEscape).join("")];
  });
}

function percentEncoded(character: string, { kept, space }: UrlStyle): string {
  if (/^[A-Za-z0-9]$/u.test(character) || kept.includes(character)) return character;
  if (character === " ") return space;
  const encoded = encodeURIComponent(character);
  // `encodeURIComponent` leaves some characters unchanged that other encoders escape.
  return encoded === character ? `%${character.charCodeAt(0).toString(16).toUpperCase()}` : encoded;
}

function lowerCaseEscape(encoded: string): string {
  return encoded.startsWith("%") ? encoded.toLowerCase() : encoded;
}

type Replacements = Readonly<Record<string, string>>;

const TAGS: Replacements = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
const MARKUP: readonly Replacements[] = [
  TAGS,
  { ...TAGS, '"': "&quot;" },
  { ...TAGS, '"': "&quot;", "'": "&apos;" },
  { ...TAGS, '"': "&quot;", "'": "&#39;" },
  { ...TAGS, '"': "&quot;", "'": "&#x27;" },
  { ...TAGS, '"': "&#34;", "'": "&#39;" },
];

export function markupVariants(text: string): readonly string[] {
  return /[&<>"']/u.test(text) ? MARKUP.map((table) => replaceByTable(text, /[&<>"']/gu, table)) : [];
}

function replaceByTable(text: string, pattern: RegExp, table: Replacements): string {
  return text.replaceAll(pattern, (match) => table[match] ?? match);
}

/** Quoted in each style, and without the quotes that a shell removed. */
export function shellVariants(text: string): readonly string[] {
  return [
    text.replaceAll("'", "'\\''"),
    text.replaceAll("'", `'"'"'`),
    text.replaceAll(/[\\"$`]/gu, "\\$&"),
    text.replaceAll(/[^\w@%+=:,./\-\n\u{80}-\u{10ffff}]/gu, "\\$&"),
    text.replaceAll('"', ""),
    text.replaceAll("'", ""),
    interpretEchoEscapes(text),
  ];
}

const ECHO: Replacements = {
  "\\a": "\x07",
  "\\b": "\b",
  "\\f": "\f",
  "\\n": "\n",
  "\\r": "\r",
  "\\t": "\t",
  "\\v": "\v",
  "\\\\": "\\",
};

/** The text as printed by an `echo` that interprets backslash escapes. */
function interpretEchoEscapes(text: string): string {
  return text.replaceAll(/\\(?:0([0-7]{0,3})|[abfnrtv\\])/gu, (match, octal: string | undefined) =>
    octal === undefined ? ECHO[match]! : String.fromCharCode(Number.parseInt(octal || "0", 8) & 0xff),
  );
}
