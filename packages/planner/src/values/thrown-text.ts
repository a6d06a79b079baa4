/** Describes a thrown value. It may be of any type, and reading it may throw again. */
export function thrownText(thrown: unknown): string {
  try {
    const text = thrown instanceof Error ? errorText(thrown) : String(thrown);
    return text === "" ? NOTHING_TO_SAY : text;
  } catch {
    return NOTHING_TO_SAY;
  }
}

const NOTHING_TO_SAY = "something was thrown that says nothing";

/** An error's fields are text by convention only. */
function errorText({ name, message }: { readonly name: unknown; readonly message: unknown }): string {
  return message === "" ? String(name) : `${String(name)}: ${String(message)}`;
}
