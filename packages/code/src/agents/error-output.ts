// The standard error of an agent. It goes to the transcript, and its last lines are kept: they tell why a program failed.
//
//   EO1. A line is masked before it is cut, and only the beginning of a long line is kept: a cut could leave half a secret
//        (DATA-9).

import type { AgentRunOptions } from "./agent-executor.ts";
import type { AgentOutcome } from "./agent-outcome.ts";
import type { ChunkReader } from "./agent-process.ts";
import type { AgentWatch } from "./agent-watch.ts";
import { OutputLines } from "./output-lines.ts";
import type { Transcript, TranscriptWriter } from "./transcript.ts";

const LINES_MAX = 10;
const CHARS_MAX = 2000;
/** The longest line that is read. */
const LINE_CHARS_MAX = 32 * 1024;

export class ErrorOutput implements ChunkReader {
  readonly #watch: AgentWatch;
  readonly #options: AgentRunOptions;
  readonly #writer: TranscriptWriter;
  readonly #lines = new OutputLines((line) => this.#onLine(line), LINE_CHARS_MAX);
  readonly #last: string[] = [];

  constructor(transcript: Transcript, watch: AgentWatch, options: AgentRunOptions) {
    this.#writer = transcript.writer();
    this.#watch = watch;
    this.#options = options;
  }

  async write(chunk: Uint8Array): Promise<void> {
    this.#watch.hear();
    this.#lines.write(chunk);
    await this.#writer.write(chunk);
  }

  async end(): Promise<void> {
    this.#lines.end();
    await this.#writer.end();
  }

  /** Adds the last lines to a failure without a result: an exit code alone does not help the reader. */
  explain(outcome: AgentOutcome): AgentOutcome {
    if (outcome.kind !== "failed" || outcome.result !== undefined || this.#last.length === 0) return outcome;
    return { ...outcome, reason: `${outcome.reason}: ${this.#last.join("\n").slice(-CHARS_MAX)}` };
  }

  #onLine(line: string): void {
    if (line.trim() === "") return;
    this.#options.onLine?.(line);
    const masked = this.#options.maskText?.(line) ?? line;
    this.#last.push(masked.slice(0, CHARS_MAX));
    if (this.#last.length > LINES_MAX) this.#last.shift();
  }
}
