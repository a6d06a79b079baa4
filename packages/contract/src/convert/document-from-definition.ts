// Converts a definition back into a document, with the shorthands and the order of keys that people would use.

import type {
  AgentDefinition,
  BreakerDefinition,
  CompensationDefinition,
  Definition,
  DependencyDefinition,
  LimitsDefinition,
  ResourceDefinition,
  RetryDefinition,
  StepDefinition,
} from "@segno/kernel";

import type { RawAgent, RawBreaker } from "../models/agent.ts";
import { toRawShell } from "../models/command.ts";
import type { RawCompensate } from "../models/compensate.ts";
import type { RawContract } from "../models/contract-document.ts";
import type { RawDependency } from "../models/dependency.ts";
import { formatDuration } from "../models/duration.ts";
import type { RawLimits } from "../models/limits.ts";
import { formatRate } from "../models/rate.ts";
import type { RawResource } from "../models/resource.ts";
import type { RawRetry } from "../models/retry.ts";
import { STEP_ORDER } from "../models/step-keys.ts";
import type { RawStep } from "../models/step.ts";
import { callKeys, actionKeys } from "./action-from-definition.ts";
import { mapField, inOrder, mapValues } from "./optional-fields.ts";

const CONTRACT_ORDER =
  "name version description input variables readOnly strict concurrency sequential timeout grace onFailure resources agents secrets steps output".split(
    " ",
  );

/** The models accept only text for these templates. A definition that code built may have other values; it does not load again. */
export function documentFrom(definition: Definition): RawContract {
  const { timeout, grace, resources, agents, steps, ...same } = definition;
  const document: RawContract = {
    ...same,
    ...mapField("timeout", timeout, formatDuration),
    ...mapField("grace", grace, formatDuration),
    ...mapField("resources", resources, (defined) => mapValues(defined, toRawResource)),
    ...mapField("agents", agents, (defined) => mapValues(defined, toRawAgent)),
    steps: steps.map(toRawStep),
  };
  return inOrder(document, CONTRACT_ORDER);
}

function toRawStep(step: StepDefinition): RawStep {
  const { id, name, action, dependsOn, env, cwd, shell, retry, timeout, compensate, limits, ...same } = step;
  const document: RawStep = {
    ...same,
    id,
    ...mapField("name", name, String),
    ...actionKeys(action, toRawStep),
    ...mapField("dependsOn", dependsOn, (dependencies) => dependencies.map(toRawDependency)),
    ...mapField("env", env, toRawEnvironment),
    ...mapField("cwd", cwd, (template) => template as string),
    ...mapField("shell", shell, toRawShell),
    ...mapField("retry", retry, toRawRetry),
    ...mapField("timeout", timeout, formatDuration),
    ...mapField("compensate", compensate, toRawCompensate),
    ...mapField("limits", limits, toRawLimits),
  };
  return inOrder(document, STEP_ORDER);
}

function toRawDependency({ step, on }: DependencyDefinition): RawDependency {
  return on === "succeeded" ? step : { step, on };
}

function toRawEnvironment(env: NonNullable<StepDefinition["env"]>): NonNullable<RawStep["env"]> {
  return env as NonNullable<RawStep["env"]>;
}

function toRawRetry(retry: RetryDefinition): RawRetry {
  if (retry.attempts !== undefined && Object.keys(retry).length === 1) return retry.attempts;
  const { base, max, ...same } = retry;
  return { ...same, ...mapField("base", base, formatDuration), ...mapField("max", max, formatDuration) };
}

function toRawCompensate({ action, env, cwd, shell, retry, timeout, ...same }: CompensationDefinition): RawCompensate {
  return {
    ...callKeys(action),
    ...same,
    ...mapField("env", env, toRawEnvironment),
    ...mapField("cwd", cwd, (template) => template as string),
    ...mapField("shell", shell, toRawShell),
    ...mapField("retry", retry, toRawRetry),
    ...mapField("timeout", timeout, formatDuration),
  };
}

function toRawLimits({ rate, ...same }: LimitsDefinition): RawLimits {
  return { ...same, ...mapField("rate", rate, formatRate) };
}

export function toRawAgent({ limits, breaker, ...same }: AgentDefinition): RawAgent {
  return { ...same, ...mapField("limits", limits, toRawLimits), ...mapField("breaker", breaker, toRawBreaker) };
}

function toRawBreaker({ cooldown, ...same }: BreakerDefinition): RawBreaker {
  return { ...same, ...mapField("cooldown", cooldown, formatDuration) };
}

function toRawResource(resource: ResourceDefinition): RawResource {
  if (resource.kind === "quota") return formatRate(resource);
  const { capacity, onAbandon } = resource;
  return onAbandon === undefined ? capacity : { capacity, onAbandon };
}
