import type { JsonObject } from "../model/json.ts";
import type { Reference } from "../data/jmespath/references.ts";
import type { State } from "../state/state.ts";
import { stepArtifacts } from "../state/step-artifacts.ts";

/** The files are looked up only for an expression that may read them. A step without files has a list only if it is asked for. */
export function artifactField(state: State, step: number, id: string, references: readonly Reference[]): JsonObject {
  const isNamed = references.some(({ path }) => path[1] === id && path[2] === "artifacts");
  if (!isNamed && !references.some(({ path }) => path.length < 3)) return {};
  const artifacts = stepArtifacts(state, step).map(({ path, hash, bytes }) => ({ path, hash, bytes }));
  return isNamed || artifacts.length > 0 ? { artifacts } : {};
}
