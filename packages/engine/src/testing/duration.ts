// Durations in tests: milliseconds, or text such as `500ms`, `30s`, `5m`, `2h`, `1d` (CONTRACT-7).

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds, or a text such as `500ms`, `30s` or `1h30m`. */
export type Duration = number | string;

export function toMilliseconds(duration: Duration): number {
  if (typeof duration === "number") return duration;
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/u.exec(duration) ?? [];
  if (amount === undefined || unit === undefined)
    throw new TypeError(
      `a duration is milliseconds or text such as "500ms", "30s" or "2h", not ${JSON.stringify(duration)}`,
    );
  return Number(amount) * UNITS[unit]!;
}
