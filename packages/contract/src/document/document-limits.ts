// The limits of a document (CONTRACT-9). The message that refuses a document names the limit.

export const DOCUMENT_LIMITS = {
  bytes: 1_048_576,
  /** The nesting depth of lists and maps, with aliases followed. */
  depth: 64,
  /** The tokens of the lexer: words, indicators, breaks. This bounds the time before composing begins. */
  tokens: 1_000_000,
  /** The number of values, with every alias expanded. */
  nodes: 250_000,
  aliases: 100,
  /** The number of problems that are listed; one more problem says how many were left out. */
  problems: 1000,
} as const;
