// Keys that are specified but not implemented. The loader refuses each by name, because it would have no effect.

import type { JsonPath } from "@segno/kernel";

interface PlannedKey {
  /** A known key of the same map, by which the map is recognised. */
  readonly beside: string;
  readonly meaning: string;
}

const PLANNED: Readonly<Record<string, PlannedKey>> = {
  schedules: { beside: "onFailure", meaning: "executions are not started by a schedule" },
  cache: { beside: "dependsOn", meaning: "outputs are not cached" },
  queue: { beside: "dependsOn", meaning: "any worker may run the step" },
  key: { beside: "rate", meaning: "limits count all values together" },
};

/** Describes the behaviour of the engine without the key. Returns undefined for a key that is not planned. */
export function plannedKey(path: JsonPath, known: readonly string[]): string | undefined {
  const key = String(path.at(-1));
  const planned = Object.hasOwn(PLANNED, key) ? PLANNED[key]! : undefined;
  const isQuota = key === "key" && path.at(-2) !== "limits";
  return planned === undefined || isQuota || !known.includes(planned.beside) ? undefined : planned.meaning;
}
