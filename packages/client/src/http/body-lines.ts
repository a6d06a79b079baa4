// The lines of a body, as they come.

import { unreachable } from "./connection.ts";

export interface LineOptions {
  /** The connection counts as lost if no byte comes for this long; absent if silence says nothing. */
  readonly silenceMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/** Yields each complete line without its end. Stops reading when the caller leaves the loop. */
export async function* bodyLines({ body }: Response, options: LineOptions = {}): AsyncGenerator<string> {
  if (body === null) return;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (;;) {
      const chunk = await readChunk(reader, options);
      text += chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
      const lines = text.split("\n");
      text = lines.pop()!;
      for (const line of lines) yield line.endsWith("\r") ? line.slice(0, -1) : line;
      if (chunk === undefined) break;
    }
    if (text !== "") yield text;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** Undefined at the end of the body. */
async function readChunk(
  reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>,
  { silenceMs, signal }: LineOptions,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const { promise: silence, reject } = Promise.withResolvers<never>();
  const timer = silenceMs === undefined ? undefined : setTimeout(() => reject(new Error("it is silent")), silenceMs);
  try {
    const { done, value } = await Promise.race([reader.read(), silence]);
    return done ? undefined : value;
  } catch (cause) {
    signal?.throwIfAborted();
    throw unreachable("the server", cause);
  } finally {
    clearTimeout(timer);
  }
}
