// Labels that nobody should be able to do harm with.

export const HOSTILE_LABELS: readonly string[] = [
  "\u001b[31mred\u001b[0m",
  "\u001b]0;owned\u0007",
  "one\ntwo\r\nthree",
  "\r✓ forged",
  "\u202egnp.tac",
  "\u2066cat\u2069\u200f",
  "\u009b2J",
  "tab\there",
  "😀".repeat(79),
  "\u0000".repeat(80),
  "漢字".repeat(40),
  "\ud800",
  ") 1.2s",
];
