/** The greatest of many widths. Spread into the arguments of a call, those of all steps would overflow the stack. */
export function widest(widths: Iterable<number>): number {
  let most = 0;
  for (const width of widths) most = Math.max(most, width);
  return most;
}
