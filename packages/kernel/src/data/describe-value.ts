// A value in few words, for the messages of errors: "expected a list, found a number".

const SHOWN_MAX = 80;

/** The kind of a value. Its content is not shown, because it may be a secret. */
export function describeKind(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** A text as `quoteText` shows it; a number or a boolean as it is; the kind of any other value. */
export function describeValue(value: unknown): string {
  if (typeof value === "string") return quoteText(value);
  return typeof value === "number" || typeof value === "boolean" ? String(value) : describeKind(value);
}

/**
 * The text in quotes, or its length if it is long. A long text is not cut, because a part of a secret could not be masked
 * (DATA-9).
 */
export function quoteText(text: string): string {
  return isShownWhole(text) ? JSON.stringify(text) : `a text of ${text.length} characters`;
}

export function isShownWhole(text: string): boolean {
  return text.length <= SHOWN_MAX;
}
