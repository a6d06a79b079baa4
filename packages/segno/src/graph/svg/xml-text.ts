import { safeText } from "../../terminal/safe-text.ts";

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** Text for an element or an attribute. Characters that XML cannot hold are shown as escapes, like in a terminal. */
export function xmlText(text: string): string {
  return safeText(text)
    .replaceAll(/[\ufffe\uffff]/gu, "\ufffd")
    .replaceAll(/[&<>"']/gu, (character) => ENTITIES[character]!);
}
