// What a document says must not steer the terminal that it is shown on: no escape sequences, no cursor movements, no
// letters that run backwards. Such characters are shown as escapes instead, so that nothing is hidden either.

/** C0 and C1 controls, DEL, line separators, marks of direction and other invisible letters, and halves of a pair. */
const UNSAFE =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|\p{Surrogate}/gu;

/** One line, whatever came in. */
export function safeText(text: string): string {
  return text.replaceAll(UNSAFE, escapeCharacter);
}

/** Lines stay lines; everything else is as in `safeText`. */
export function safeLines(text: string): string {
  return text.replaceAll(UNSAFE, (character) => (character === "\n" ? character : escapeCharacter(character)));
}

const SHORT: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function escapeCharacter(character: string): string {
  return SHORT[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** JSON in which every unsafe character is an escape; it parses to the same value. */
export function safeJson(value: unknown): string {
  return safeLines(JSON.stringify(value, null, 2));
}

/** The same on one line. */
export function safeJsonLine(value: unknown): string {
  return safeText(JSON.stringify(value));
}
