/** The greatest of so many widths; as arguments of a call, those of all steps would not fit on the stack. */
export function widest(widths: Iterable<number>): number {
  let most = 0;
  for (const width of widths) most = Math.max(most, width);
  return most;
}
