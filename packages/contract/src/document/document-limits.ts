// How much a document may ask of its reader (CONTRACT-9). Each limit is named in the message that refuses.

export const DOCUMENT_LIMITS = {
  bytes: 1_048_576,
  /** Lists and maps inside each other, aliases followed. */
  depth: 64,
  /** What the lexer tells apart: words, indicators, breaks. Bounds the time before anything is composed. */
  tokens: 1_000_000,
  /** Values, once every alias stands for what it repeats. */
  nodes: 250_000,
  aliases: 100,
  /** Problems that are listed; one more says how many there are beyond them. */
  problems: 1000,
} as const;
