// The options of every way to load a contract.

/** Options of `loadContract`. */
export interface LoadOptions {
  /** The name of the document in problems. No file is read. */
  readonly file?: string;
}
