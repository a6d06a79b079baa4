// Text that an attempt streams, such as the words of a model. Worker threads use this file too, so it imports nothing heavy.

/**
 * Writes text to the log of the step as it comes: `stream(part)` for each part of an answer. It is like the standard output
 * of a command: masked, split into lines, and limited. `engine.onStream` gets each part at once. It is not part of the journal.
 * Throws `STREAM_INVALID` for anything but text.
 */
export type StreamWriter = (text: string) => void;

/** By its name it is permanent: the next attempt would stream the same (FAIL-1). It may cross threads, so the name is a field. */
class StreamError extends TypeError {
  override readonly name = "PermanentError";
  readonly code = "STREAM_INVALID";
}

export function streamBytes(text: unknown): Uint8Array {
  if (typeof text !== "string") throw new StreamError(`stream: expected text, found ${typeof text}`);
  return Buffer.from(text);
}
