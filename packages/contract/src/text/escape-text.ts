// Escapes text of a document for a terminal: characters that move the cursor, or hide or reorder words, become visible.

// C0 and C1 controls, DEL, zero-width and bidirectional controls, line and paragraph separators, the byte order mark.
const UNSAFE =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u001F\u007F-\u009F\u00AD\u061C\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF\uFFF9-\uFFFB]|\p{Surrogate}/gu;

export function escapeText(text: string): string {
  return text.replaceAll(UNSAFE, escapeCharacter);
}

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0)!;
  if (code === 0x0a) return "\\n";
  if (code === 0x0d) return "\\r";
  if (code === 0x09) return "\\t";
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
}
