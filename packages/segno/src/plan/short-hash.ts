const HEX_DIGITS = 12;

/** Enough of a hash for people to compare by eye. */
export function shortHash(hash: string): string {
  return hash.slice(0, "sha256:".length + HEX_DIGITS);
}
