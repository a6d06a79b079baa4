// How far a sink has got with each execution, in a small file beside the journal.
//
//   PF1. A position is written after the destination has accepted the events, so it never runs ahead. After a crash the
//        events since the last written position are delivered again.
//   PF2. Positions are appended, one line each. The file is rewritten when most of its lines are out of date, and when it is
//        opened; the new file replaces the old one at once.
//   PF3. A line that cannot be read is ignored: an older position only repeats events.
//   PF4. All events before `since` are delivered. Positions of executions that ended long before it are removed.

import { mkdir, open, readFile, rename, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";

/** The last event of an execution that a destination has accepted. */
export interface SinkPosition {
  readonly id: string;
  readonly seq: number;
  /** The time of the last event if the execution has ended with it. */
  readonly endedAt?: number;
}

export interface SinkPositions {
  /** Undefined if the sink is new. */
  readonly since: number | undefined;
  readonly positions: readonly SinkPosition[];
}

/** The file is rewritten after this number of lines, or when its number of lines has doubled. */
const APPENDED_LINES_MAX = 10_000;

export class PositionFile {
  readonly #path: string;
  #handle: FileHandle | undefined;
  /** The lines since the last time that the file was rewritten, and the lines then. */
  #appended = 0;
  #rewritten = 0;

  constructor(path: string) {
    this.#path = path;
  }

  async read(): Promise<SinkPositions> {
    const text = await readFile(this.#path, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return "";
      throw error;
    });
    let since: number | undefined;
    const positions = new Map<string, SinkPosition>();
    for (const line of text.split("\n")) {
      const entry = readEntry(line);
      if (entry === undefined) continue;
      if ("since" in entry) since = entry.since;
      else positions.set(entry.id, entry);
    }
    return { since, positions: [...positions.values()] };
  }

  /** Adds positions. Once too many lines are out of date, `all` replaces the content. */
  async append(changed: SinkPositions, all: () => SinkPositions): Promise<void> {
    const lines = toLines(changed);
    this.#appended += lines.length;
    const isSpent = this.#appended > Math.max(APPENDED_LINES_MAX, this.#rewritten);
    if (this.#handle === undefined || isSpent) await this.#rewrite(toLines(all()));
    else await this.#handle.appendFile(lines.join(""));
  }

  async close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }

  /** Replaces the file (PF2). */
  async #rewrite(lines: readonly string[]): Promise<void> {
    await this.close();
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
    const partial = `${this.#path}.new`;
    const handle = await open(partial, "w", 0o600);
    try {
      await handle.writeFile(lines.join(""));
      await handle.datasync();
    } finally {
      await handle.close();
    }
    await rename(partial, this.#path);
    this.#handle = await open(this.#path, "a", 0o600);
    this.#appended = 0;
    this.#rewritten = lines.length;
  }
}

function toLines({ since, positions }: SinkPositions): readonly string[] {
  const entries = [...positions, ...(since === undefined ? [] : [{ since }])];
  return entries.map((entry) => `${JSON.stringify(entry)}\n`);
}

function readEntry(line: string): SinkPosition | { readonly since: number } | undefined {
  try {
    const { id, seq, endedAt, since } = JSON.parse(line) as Record<string, unknown>;
    if (Number.isSafeInteger(since)) return { since: since as number };
    if (typeof id !== "string" || !Number.isSafeInteger(seq) || (seq as number) < 0) return undefined;
    return { id, seq: seq as number, ...(Number.isSafeInteger(endedAt) ? { endedAt: endedAt as number } : {}) };
  } catch {
    return undefined;
  }
}
