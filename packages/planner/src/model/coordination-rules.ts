// The coordination rules of a definition. All of them are inert: models keep them, and they do not affect a plan (PLAN-8, PLAN-16).

import type { Json } from "@segno/kernel";
import { build, nestedModel } from "./build.ts";
import { oneOf, truth, type Check } from "./check.ts";
import type { FieldReader } from "./field-reader.ts";
import type { BrandedModel } from "./model-brand.ts";
import { semVer, semVerField, type SemVer, type SemVerFields } from "./sem-ver.ts";
import { FailureRecoveryStrategy } from "./vocabulary.ts";

interface CoordinationRulesRecord {
  readonly parallelExecutionAllowed: boolean;
  readonly failureRecoveryStrategy: FailureRecoveryStrategy;
  // Reserved: a value of any type is kept (ruling 57).
  readonly synchronizationPoints: Json;
  readonly maxRetries: Json;
  readonly retryDelayMs: Json;
}

/** Rules of a workflow for its nodes: synchronization, parallelism and recovery. */
export type CoordinationRules = CoordinationRulesRecord & {
  readonly version: SemVer;
} & BrandedModel<"coordination rules">;

/** The fields of `coordinationRules`. */
export type CoordinationRulesFields = { readonly version: SemVerFields } & {
  readonly [Name in keyof CoordinationRulesRecord]?: CoordinationRulesRecord[Name] | undefined;
};

const strategy = oneOf(FailureRecoveryStrategy, "unknown-value");
const NO_POINTS: Json = Object.freeze([]);

/** Makes checked rules from fields. Throws a `ValidationError` if a field is wrong. */
export function coordinationRules(fields: CoordinationRulesFields): CoordinationRules {
  return build("coordination rules", fields, readRules);
}

export const coordinationRulesField: Check<CoordinationRules> = nestedModel("coordination rules", readRules);

/** The rules of a definition that has none. */
export function defaultRules(): CoordinationRules {
  return coordinationRules({ version: semVer({ major: 1, minor: 0, patch: 0 }) });
}

function readRules(fields: FieldReader): CoordinationRulesRecord & { readonly version: SemVer } {
  return {
    version: fields.required("version", semVerField),
    parallelExecutionAllowed: fields.withDefault("parallelExecutionAllowed", truth, true),
    failureRecoveryStrategy: fields.withDefault("failureRecoveryStrategy", strategy, FailureRecoveryStrategy.RETRY),
    synchronizationPoints: fields.readOrKeep("synchronizationPoints", NO_POINTS),
    maxRetries: fields.readOrKeep("maxRetries", 3),
    retryDelayMs: fields.readOrKeep("retryDelayMs", 1000),
  };
}
