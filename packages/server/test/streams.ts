// A reader of Server-Sent Events, as strict as the format.

export interface SentEvent {
  readonly id?: string;
  readonly event: string;
  readonly data: Record<string, unknown>;
}

/** Reads the events of a stream as they come. Comments are left out. */
export async function* sentEvents(response: Response): AsyncGenerator<SentEvent> {
  let text = "";
  const decoder = new TextDecoder("utf-8", { fatal: true });
  for await (const chunk of response.body!) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const block = text.slice(0, end);
      text = text.slice(end + 2);
      if (!block.startsWith(":")) yield parseEvent(block);
    }
  }
}

function parseEvent(block: string): SentEvent {
  const fields = new Map(
    block.split("\n").map((line): [string, string] => {
      const at = line.indexOf(": ");
      if (at < 1) throw new Error(`not a line of an event: ${line}`);
      return [line.slice(0, at), line.slice(at + 2)];
    }),
  );
  const id = fields.get("id");
  const data = JSON.parse(fields.get("data")!) as Record<string, unknown>;
  return { ...(id === undefined ? {} : { id }), event: fields.get("event")!, data };
}

/** Reads until an event fits, and returns all that came, with this one. */
export async function readUntil(
  events: AsyncIterator<SentEvent>,
  fits: (event: SentEvent) => boolean,
): Promise<readonly SentEvent[]> {
  const seen: SentEvent[] = [];
  for (let next = await events.next(); next.done !== true; next = await events.next()) {
    seen.push(next.value);
    if (fits(next.value)) return seen;
  }
  throw new Error(`the stream ended after ${seen.length} events`);
}
