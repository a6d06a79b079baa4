import { safeText } from "../../terminal/safe-text.ts";

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** Escapes text for an element or an attribute. Characters that XML does not allow are shown as escapes, as in a terminal. */
export function xmlText(text: string): string {
  return safeText(text)
    .replaceAll(/[\ufffe\uffff]/gu, "\ufffd")
    .replaceAll(/[&<>"']/gu, (character) => ENTITIES[character]!);
}
