// The text of a thrown value. A program may throw anything, and reading a thrown value may throw again.

/** The message of an error, or another value as text. */
export function thrownMessage(thrown: unknown): string {
  return readText(() => (isErrorLike(thrown) ? thrown.message : String(thrown)));
}

/** The name and the message of an error, or another value as text. */
export function thrownText(thrown: unknown): string {
  return readText(() => (thrown instanceof Error ? namedText(thrown) : String(thrown)));
}

const UNREADABLE = "a value without a message was thrown";

function readText(read: () => string): string {
  try {
    return read() || UNREADABLE;
  } catch {
    return UNREADABLE;
  }
}

/** Another realm, a thread for example, has its own class of errors. */
function isErrorLike(thrown: unknown): thrown is { readonly message: string } {
  return typeof thrown === "object" && thrown !== null && "message" in thrown && typeof thrown.message === "string";
}

/** The fields of an error are text by convention only. */
function namedText({ name, message }: { readonly name: unknown; readonly message: unknown }): string {
  return message === "" ? String(name) : `${String(name)}: ${String(message)}`;
}
