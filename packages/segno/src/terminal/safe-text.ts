// Escapes text of documents for the terminal: escape sequences, cursor movements and characters that change the direction of
// text must not take effect. They are shown as escapes, so that nothing is hidden.

/** C0 and C1 controls, DEL, line separators, marks of direction, other invisible characters, and lone surrogates. */
const UNSAFE =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|\p{Surrogate}/gu;

/** Returns one line for any text. */
export function safeText(text: string): string {
  return text.replaceAll(UNSAFE, escapeCharacter);
}

/** Like `safeText`, but keeps line breaks. */
export function safeLines(text: string): string {
  return text.replaceAll(UNSAFE, (character) => (character === "\n" ? character : escapeCharacter(character)));
}

const SHORT: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function escapeCharacter(character: string): string {
  return SHORT[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** JSON in which every unsafe character is escaped; it parses to the same value. */
export function safeJson(value: unknown): string {
  return safeLines(JSON.stringify(value, null, 2));
}

/** The same JSON on one line. */
export function safeJsonLine(value: unknown): string {
  return safeText(JSON.stringify(value));
}
