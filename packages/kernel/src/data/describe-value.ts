// A value in few words, for the messages of errors: "expected a list, found a number".

const SHOWN_MAX = 80;

/** The kind of a value. Its content is not shown, because it may be a secret. */
export function describeKind(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** A text, cut where it is long; a number or a boolean as it is; the kind of any other value. */
export function describeValue(value: unknown): string {
  if (typeof value === "string") return quoteText(value);
  return typeof value === "number" || typeof value === "boolean" ? String(value) : describeKind(value);
}

/** The text in quotes, cut where it is long. */
export function quoteText(text: string): string {
  return JSON.stringify(text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX - 1)}…` : text);
}
