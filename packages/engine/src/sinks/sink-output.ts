// The destination of a sink.

/** A destination that takes lines in batches. */
export interface SinkOutput {
  readonly type: "stdout" | "file" | "http";
  /** Names the destination in messages, without passwords. */
  readonly name: string;
  /** Delivers lines in one piece. If it rejects, the lines are lost. The signal aborts when the sink stops waiting. */
  send(lines: readonly string[], signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** Waits for a time. Rejects if the signal aborts. */
export type SinkWait = (ms: number, signal: AbortSignal) => Promise<void>;
