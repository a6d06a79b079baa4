// The valid part of an invalid document, which the kernel can still check, so that one mistake does not hide the others.
//
//   S1. An invalid step stays in the list, with its valid keys that define the graph. An empty script replaces its action, and the
//       kernel's problems with that script are dropped.
//   S2. A problem that may be a consequence of an invalid part is not reported: unknown ids if any id cannot be read, reads that are
//       too early if any dependency cannot be read, unknown variables if their declaration, or a step that may write them, cannot be
//       read.

import {
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  type JsonPath,
  type KernelErrorCode,
} from "@segno/kernel";

import type { RawContract } from "../models/contract-document.ts";
import type { RawStep } from "../models/step.ts";

interface PartialContract {
  readonly document: RawContract;
  /** Whether a problem that the kernel found is a mistake of the author, and not a consequence of the replaced parts. */
  readonly isIndependent: (problem: { readonly code: string; readonly path: JsonPath }) => boolean;
}

/** The keys by which a step can be checked if other keys of it are invalid. */
const GRAPH_KEYS = ["dependsOn", "enabled", "fallback"] as const;
const GRAPH_CODES: ReadonlySet<string> = new Set<KernelErrorCode>([
  "DUPLICATE_STEP",
  "UNKNOWN_DEPENDENCY",
  "DEPENDENCY_CYCLE",
  "UNKNOWN_FALLBACK",
  "FALLBACK_SHARED",
  "FALLBACK_NEEDED",
]);
const NAMING_CODES: ReadonlySet<string> = new Set<KernelErrorCode>([
  "UNKNOWN_DEPENDENCY",
  "UNKNOWN_FALLBACK",
  "UNKNOWN_STEP",
]);
const ORDER_CODES: ReadonlySet<string> = new Set<KernelErrorCode>([
  "READ_TOO_EARLY",
  "WRITES_UNORDERED",
  "ROOT_NOT_HERE",
]);

export function salvageContract(document: Json, invalidPaths: readonly JsonPath[]): PartialContract | undefined {
  if (!isJsonObject(document)) return undefined;
  const invalid = new InvalidPaths(invalidPaths);
  const steps = isJsonArray(document["steps"]) ? document["steps"] : [];
  const header = Object.entries(document).filter(([key]) => key !== "steps" && !invalid.headerKeys.has(key));
  const name = invalid.headerKeys.has("name") ? "unnamed" : document["name"];
  const valid = {
    ...Object.fromEntries(header),
    name,
    steps: steps.map((step, index) => salvageStep(step, index, invalid)),
  };
  return {
    document: valid as unknown as RawContract,
    isIndependent: ({ code, path }) => invalid.allows(code, path),
  };
}

function salvageStep(step: Json, index: number, invalid: InvalidPaths): RawStep {
  const keys = invalid.stepKeys.get(index);
  if (keys === undefined) return step as unknown as RawStep;
  const written: JsonObject = isJsonObject(step) ? step : {};
  const kept = GRAPH_KEYS.filter((key) => written[key] !== undefined && !keys.has(key)).map((key) => [
    key,
    written[key],
  ]);
  return { id: readableId(written) ?? `(step ${index + 1})`, run: ":", ...Object.fromEntries(kept) } as RawStep;
}

/** Other steps may refer to an id that has the wrong form. */
function readableId(step: JsonObject): string | undefined {
  return typeof step["id"] === "string" && step["id"] !== "" ? step["id"] : undefined;
}

class InvalidPaths {
  readonly headerKeys = new Set<string>();
  /** The invalid keys of each invalid step; `""` stands for the whole step. */
  readonly stepKeys = new Map<number, Set<string>>();
  readonly #keysOfSteps = new Set<string>();

  constructor(paths: readonly JsonPath[]) {
    for (const path of paths) this.#add(path);
  }

  #add([key = "", index, stepKey]: JsonPath): void {
    if (key !== "steps" || typeof index !== "number") {
      this.headerKeys.add(String(key));
      return;
    }
    const keys = this.stepKeys.get(index) ?? new Set();
    keys.add(String(stepKey ?? ""));
    this.#keysOfSteps.add(String(stepKey ?? ""));
    this.stepKeys.set(index, keys);
  }

  allows(code: string, path: JsonPath): boolean {
    if (NAMING_CODES.has(code) && this.#someKey("id")) return false;
    if (code === "UNKNOWN_VARIABLE" && (this.stepKeys.size > 0 || this.#isHeaderBroken("variables", "steps")))
      return false;
    if (ORDER_CODES.has(code) && (this.#someKey("dependsOn") || this.#someKey("enabled") || this.#someKey("fallback")))
      return false;
    const isInInvalidStep = path[0] === "steps" && typeof path[1] === "number" && this.stepKeys.has(path[1]);
    return !isInInvalidStep || GRAPH_CODES.has(code);
  }

  #isHeaderBroken(...keys: readonly string[]): boolean {
    return keys.some((key) => this.headerKeys.has(key));
  }

  #someKey(key: string): boolean {
    return this.headerKeys.has("steps") || this.#keysOfSteps.has(key) || this.#keysOfSteps.has("");
  }
}
