const UNITS: readonly (readonly [string, number])[] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1000],
  ["ms", 1],
];

/** Formats `1h30m`: the units of contracts, largest first. */
export function durationText(durationMs: number): string {
  let rest = Math.round(durationMs);
  let text = "";
  for (const [unit, unitMs] of UNITS) {
    const count = Math.floor(rest / unitMs);
    if (count > 0) text += `${count}${unit}`;
    rest -= count * unitMs;
  }
  return text === "" ? "0ms" : text;
}
