// Text of user code as the journal keeps it: masked, and then cut to a limit.
//
//   X1. A text is masked before it is cut, because a cut could leave half a secret (DATA-9).
//   X2. A text that is too long to be masked is replaced as a whole: reading all of it would block the thread.

/** Masks a text. */
export type TextFilter = (text: string) => string;

/** A longer message is cut: a journal records what went wrong, and not the data that a program puts into an error. */
const MESSAGE_MAX = 8192;
const TEXT_MAX = 1_000_000;

export function maskAndCut(text: string, mask: TextFilter, max: number = MESSAGE_MAX): string {
  const masked = mask(boundedText(text));
  return (masked.length <= max ? masked : `${masked.slice(0, max)}…`).toWellFormed();
}

/** The text itself, or a sentence with its length if it is too long (X2). */
export function boundedText(text: string): string {
  return text.length <= TEXT_MAX ? text : `a text of ${text.length} characters, which is too long to show`;
}
