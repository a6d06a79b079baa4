// Reads Server-Sent Events, as far as Segno's server sends them: `id`, `event`, `data` and comments.

/** One event of a stream. */
export interface SentEvent {
  /** Absent on events that no reader can resume from. */
  readonly id: string | undefined;
  readonly event: string;
  readonly data: string;
}

export async function* sentEvents(lines: AsyncIterable<string>): AsyncGenerator<SentEvent> {
  let id: string | undefined;
  let event = "message";
  let data: string[] = [];
  for await (const line of lines) {
    if (line === "") {
      if (data.length > 0) yield { id, event, data: data.join("\n") };
      id = undefined;
      event = "message";
      data = [];
      continue;
    }
    const [, field, value] = /^([^:]*)(?:: ?(.*))?$/u.exec(line) ?? [];
    if (field === "id") id = value;
    else if (field === "event") event = value ?? "";
    else if (field === "data") data.push(value ?? "");
  }
}
