// Keys that are settled but not built. Each is refused by name, so that nobody relies on what does not happen.

import type { JsonPath } from "@segno/kernel";

interface PlannedKey {
  /** A key that is known in the same place, by which the place is recognised. */
  readonly beside: string;
  readonly meaning: string;
}

const PLANNED: Readonly<Record<string, PlannedKey>> = {
  schedules: { beside: "onFailure", meaning: "executions are not started by a schedule" },
  cache: { beside: "dependsOn", meaning: "outputs are not remembered" },
  queue: { beside: "dependsOn", meaning: "any worker may run the step" },
  key: { beside: "rate", meaning: "limits count all values together" },
};

/** The behaviour of the engine without the key; undefined for a key that Segno does not plan. */
export function plannedKey(path: JsonPath, known: readonly string[]): string | undefined {
  const key = String(path.at(-1));
  const planned = Object.hasOwn(PLANNED, key) ? PLANNED[key]! : undefined;
  const isQuota = key === "key" && path.at(-2) !== "limits";
  return planned === undefined || isQuota || !known.includes(planned.beside) ? undefined : planned.meaning;
}
