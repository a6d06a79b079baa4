/** The connection of a stream of events. */
export interface StreamConnection {
  /** Sends the headers. An error before it is an ordinary answer. */
  begin(): void;
  /** Returns false if the reader is slow; `drained` then resolves when it has caught up. */
  write(text: string): boolean;
  /** It also resolves when the signal aborts. */
  drained(signal: AbortSignal): Promise<void>;
  /** Aborts when the reader has left. */
  readonly signal: AbortSignal;
}
