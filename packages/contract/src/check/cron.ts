// The form of a schedule: enough to refuse at load what could never start. Nothing is computed from it here.

interface CronField {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** Names that stand for numbers, from `min` on. */
  readonly names?: readonly string[];
}

const SECOND: CronField = { name: "second", min: 0, max: 59 };
const FIELDS: readonly CronField[] = [
  { name: "minute", min: 0, max: 59 },
  { name: "hour", min: 0, max: 23 },
  { name: "day of the month", min: 1, max: 31 },
  {
    name: "month",
    min: 1,
    max: 12,
    names: ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"],
  },
  { name: "day of the week", min: 0, max: 7, names: ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"] },
];
const NICKNAMES: ReadonlySet<string> = new Set([
  "@yearly",
  "@annually",
  "@monthly",
  "@weekly",
  "@daily",
  "@midnight",
  "@hourly",
]);
const PART = /^(?<from>\*|\w+)(?:-(?<to>\w+))?(?:\/(?<step>\d{1,4}))?$/u;

/** What was expected, where the expression is not one; nothing when it is. */
export function cronProblem(cron: string): string | undefined {
  if (NICKNAMES.has(cron)) return undefined;
  const parts = cron.trim().split(/\s+/u);
  if (parts.length !== 5 && parts.length !== 6) return "a cron expression of five fields, or six with seconds first";
  const fields = parts.length === 6 ? [SECOND, ...FIELDS] : FIELDS;
  const wrong = fields.find((field, index) => !parts[index]!.split(",").every((part) => isPart(part, field)));
  return wrong === undefined
    ? undefined
    : `a cron expression with a valid ${wrong.name} (${wrong.min} to ${wrong.max})`;
}

function isPart(part: string, field: CronField): boolean {
  const groups = PART.exec(part)?.groups;
  if (groups === undefined) return false;
  const { from, to, step } = groups;
  if (step !== undefined && Number(step) < 1) return false;
  if (from === "*") return to === undefined;
  const first = numberOf(from!, field);
  const last = to === undefined ? first : numberOf(to, field);
  return first !== undefined && last !== undefined && first <= last;
}

function numberOf(word: string, { min, max, names }: CronField): number | undefined {
  const named = names?.indexOf(word.toUpperCase()) ?? -1;
  if (named >= 0) return min + named;
  const number = /^\d{1,2}$/u.test(word) ? Number(word) : Number.NaN;
  return number >= min && number <= max ? number : undefined;
}

/** Zones that were found to exist, in lower case. A zone has one name in any case, so there are no more of them than zones. */
const ZONES = new Set<string>();
const ZONE_NAME = /^[\x21-\x7e]{1,64}$/u;

/** A formatter takes tens of kilobytes outside of the heap, so all schedules of one zone share the answer. */
export function isTimeZone(name: string): boolean {
  if (!ZONE_NAME.test(name)) return false;
  const zone = name.toLowerCase();
  if (ZONES.has(zone)) return true;
  const isKnown = hasFormatter(zone);
  if (isKnown) ZONES.add(zone);
  return isKnown;
}

function hasFormatter(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
