// The sound part of a broken document: what the kernel can still judge, so that one slip does not hide the others.
//
//   S1. A broken step keeps its place, and of its keys those that order the graph and are sound themselves; for the
//       rest it is an empty script. What the kernel says about that rest is not passed on.
//   S2. A problem that may only follow from a broken part is not reported: unknown ids while some id cannot be read,
//       reads that come too early while some dependency cannot be read, unknown variables while some step that may
//       write them, or their declaration, cannot be read.

import {
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  type JsonPath,
  type KernelErrorCode,
} from "@segno/kernel";

import type { ContractDocument } from "../models/contract-document.ts";
import type { StepDocument } from "../models/step.ts";

interface PartialContract {
  readonly document: ContractDocument;
  /** Whether a problem that the kernel found in it is one of the author's. */
  readonly isIndependent: (problem: { readonly code: string; readonly path: JsonPath }) => boolean;
}

/** What a step may still be judged by when other keys of it are broken. */
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

export function salvageContract(document: Json, brokenPaths: readonly JsonPath[]): PartialContract | undefined {
  if (!isJsonObject(document)) return undefined;
  const broken = new InvalidPaths(brokenPaths);
  const steps = isJsonArray(document["steps"]) ? document["steps"] : [];
  const header = Object.entries(document).filter(([key]) => key !== "steps" && !broken.headerKeys.has(key));
  const name = broken.headerKeys.has("name") ? "unnamed" : document["name"];
  const sound = {
    ...Object.fromEntries(header),
    name,
    steps: steps.map((step, index) => salvageStep(step, index, broken)),
  };
  return {
    document: sound as unknown as ContractDocument,
    isIndependent: ({ code, path }) => broken.allows(code, path),
  };
}

function salvageStep(step: Json, index: number, broken: InvalidPaths): StepDocument {
  const keys = broken.stepKeys.get(index);
  if (keys === undefined) return step as unknown as StepDocument;
  const written: JsonObject = isJsonObject(step) ? step : {};
  const kept = GRAPH_KEYS.filter((key) => written[key] !== undefined && !keys.has(key)).map((key) => [
    key,
    written[key],
  ]);
  return { id: readableId(written) ?? `(step ${index + 1})`, run: ":", ...Object.fromEntries(kept) } as StepDocument;
}

/** An id of a wrong form is still the id that others mean. */
function readableId(step: JsonObject): string | undefined {
  return typeof step["id"] === "string" && step["id"] !== "" ? step["id"] : undefined;
}

class InvalidPaths {
  readonly headerKeys = new Set<string>();
  /** For each broken step its broken keys; `""` stands for the step as a whole. */
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
    const isInBrokenStep = path[0] === "steps" && typeof path[1] === "number" && this.stepKeys.has(path[1]);
    return !isInBrokenStep || GRAPH_CODES.has(code);
  }

  #isHeaderBroken(...keys: readonly string[]): boolean {
    return keys.some((key) => this.headerKeys.has(key));
  }

  #someKey(key: string): boolean {
    return this.headerKeys.has("steps") || this.#keysOfSteps.has(key) || this.#keysOfSteps.has("");
  }
}
