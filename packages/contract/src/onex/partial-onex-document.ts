// The valid part of an invalid ONEX contract. The dependencies of its steps can still be checked, so that one mistake does not hide
// the others (CONTRACT-3).
//
//   S1. An invalid step stays in the list, with its valid keys that define the graph.
//   S2. Unknown ids are not reported if any id cannot be read.

import { isJsonArray, isJsonObject, type Json, type JsonObject, type JsonPath } from "@segno/kernel";

import { valueAt } from "../json/value-at.ts";
import { STEPS_PATH } from "./misplaced-steps.ts";
import type { RawWorkflowDefinition } from "./models/workflow-definition.ts";
import type { RawWorkflowStep } from "./models/workflow-step.ts";

export interface PartialOnexContract {
  readonly definition: RawWorkflowDefinition;
  readonly steps: readonly RawWorkflowStep[];
  /** Whether the id of every step is known, so that unknown ids can be reported. */
  readonly hasEveryId: boolean;
}

const MODE_PATH: JsonPath = ["workflow_coordination", "workflow_definition", "workflow_metadata", "execution_mode"];
/** The keys by which a step can be checked if other keys of it are invalid. */
const KEPT_KEYS = ["step_id", "step_type", "depends_on", "enabled"] as const;
const VERSION = { major: 1, minor: 0, patch: 0 };

export function salvageOnexContract(document: Json, invalidPaths: readonly JsonPath[]): PartialOnexContract {
  const invalid = new InvalidOnexPaths(invalidPaths);
  const steps = valueAt(document, STEPS_PATH);
  return {
    definition: salvageDefinition(invalid.has(MODE_PATH) ? undefined : valueAt(document, MODE_PATH)),
    steps: isJsonArray(steps) ? steps.map((step, index) => salvageStep(step, invalid.invalidKeys(index), index)) : [],
    hasEveryId:
      isJsonArray(steps) &&
      steps.every((step, index) => isJsonObject(step) && !invalid.invalidKeys(index).has("step_id")),
  };
}

function salvageDefinition(mode: Json | undefined): RawWorkflowDefinition {
  const metadata = { version: VERSION, workflow_name: "unnamed", workflow_version: VERSION, description: "" };
  return {
    version: VERSION,
    workflow_metadata: (mode === undefined
      ? metadata
      : { ...metadata, execution_mode: mode }) as RawWorkflowDefinition["workflow_metadata"],
    execution_graph: { version: VERSION },
  };
}

function salvageStep(step: Json, invalid: ReadonlySet<string>, index: number): RawWorkflowStep {
  const written: JsonObject = isJsonObject(step) ? step : {};
  const kept = KEPT_KEYS.filter((key) => written[key] !== undefined && !invalid.has(key)).map((key) => [
    key,
    written[key],
  ]);
  const name =
    typeof written["step_name"] === "string" && !invalid.has("step_name") ? written["step_name"] : `step ${index + 1}`;
  return { step_name: name, step_type: "custom", ...Object.fromEntries(kept) } as RawWorkflowStep;
}

class InvalidOnexPaths {
  readonly #paths: ReadonlySet<string>;
  /** The invalid keys of each step. */
  readonly #keys = new Map<number, Set<string>>();

  constructor(paths: readonly JsonPath[]) {
    this.#paths = new Set(paths.map((path) => JSON.stringify(path)));
    for (const path of paths) this.#add(path);
  }

  /** Whether the value, or a value around it, is invalid. */
  has(path: JsonPath): boolean {
    return path.some((_, length) => this.#paths.has(JSON.stringify(path.slice(0, length + 1))));
  }

  invalidKeys(step: number): ReadonlySet<string> {
    return this.#keys.get(step) ?? NO_KEYS;
  }

  #add(path: JsonPath): void {
    const [index, key] = path.slice(STEPS_PATH.length);
    const isStep = typeof index === "number" && STEPS_PATH.every((part, at) => path[at] === part);
    if (!isStep) return;
    const keys = this.#keys.get(index) ?? new Set();
    this.#keys.set(index, keys.add(String(key ?? "")));
  }
}

const NO_KEYS: ReadonlySet<string> = new Set();
