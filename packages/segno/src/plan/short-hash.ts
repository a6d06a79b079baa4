const HEX_DIGITS = 12;

/** Enough characters of a hash to compare it by eye. */
export function shortHash(hash: string): string {
  return hash.slice(0, "sha256:".length + HEX_DIGITS);
}
