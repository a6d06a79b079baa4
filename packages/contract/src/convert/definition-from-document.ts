// Converts a document of the right shape into a definition: shorthands are expanded, durations are in milliseconds.
//
// Two ways to write the same workflow give the same definition, and so the same hash. Lists keep their order (CONTRACT-2), and
// the conversion adds no defaults.

import {
  stepId,
  type AgentDefinition,
  type BreakerDefinition,
  type CompensationDefinition,
  type Definition,
  type DependencyDefinition,
  type LimitsDefinition,
  type ResourceDefinition,
  type RetryDefinition,
  type StepDefinition,
} from "@segno/kernel";

import type { RawAgent, RawBreaker } from "../models/agent.ts";
import { toShell } from "../models/command.ts";
import type { RawCompensate } from "../models/compensate.ts";
import type { RawContract } from "../models/contract-document.ts";
import type { RawDependency } from "../models/dependency.ts";
import { toDuration } from "../models/duration.ts";
import type { RawLimits } from "../models/limits.ts";
import { toRate } from "../models/rate.ts";
import type { RawResource } from "../models/resource.ts";
import type { RawRetry } from "../models/retry.ts";
import { CALL_KINDS, STEP_KINDS } from "../models/step-keys.ts";
import type { RawStep } from "../models/step.ts";
import { actionFrom, callFrom } from "./action-from-document.ts";
import { mapField, mapValues, without } from "./optional-fields.ts";

export function definitionFrom(document: RawContract): Definition {
  const { timeout, grace, resources, agents, steps, ...same } = document;
  return {
    ...same,
    ...mapField("timeout", timeout, toDuration),
    ...mapField("grace", grace, toDuration),
    ...mapField("resources", resources, (written) => mapValues(written, resourceFrom)),
    ...mapField("agents", agents, (written) => mapValues(written, agentFrom)),
    steps: steps.map(stepFrom),
  };
}

function stepFrom(step: RawStep): StepDefinition {
  const { id, dependsOn, shell, retry, timeout, fallback, compensate, limits, ...same } = without(step, STEP_KINDS);
  return {
    ...same,
    id: stepId(id),
    action: actionFrom(step, stepFrom),
    ...mapField("dependsOn", dependsOn, (dependencies) => dependencies.map(dependencyFrom)),
    ...mapField("shell", shell, toShell),
    ...mapField("retry", retry, retryFrom),
    ...mapField("timeout", timeout, toDuration),
    ...mapField("fallback", fallback, stepId),
    ...mapField("compensate", compensate, compensationFrom),
    ...mapField("limits", limits, limitsFrom),
  };
}

function dependencyFrom(dependency: RawDependency): DependencyDefinition {
  if (typeof dependency === "string") return { step: stepId(dependency), on: "succeeded" };
  return { step: stepId(dependency.step), on: dependency.on ?? "succeeded" };
}

function retryFrom(retry: RawRetry): RetryDefinition {
  if (typeof retry === "number") return { attempts: retry };
  const { base, max, ...same } = retry;
  return { ...same, ...mapField("base", base, toDuration), ...mapField("max", max, toDuration) };
}

function compensationFrom(compensate: RawCompensate): CompensationDefinition {
  const { shell, retry, timeout, ...same } = without(compensate, CALL_KINDS);
  return {
    ...same,
    action: callFrom(compensate),
    ...mapField("shell", shell, toShell),
    ...mapField("retry", retry, retryFrom),
    ...mapField("timeout", timeout, toDuration),
  };
}

function limitsFrom({ rate, ...same }: RawLimits): LimitsDefinition {
  return { ...same, ...mapField("rate", rate, toRate) };
}

export function agentFrom({ limits, breaker, ...same }: RawAgent): AgentDefinition {
  return { ...same, ...mapField("limits", limits, limitsFrom), ...mapField("breaker", breaker, breakerFrom) };
}

function breakerFrom({ cooldown, ...same }: RawBreaker): BreakerDefinition {
  return { ...same, ...mapField("cooldown", cooldown, toDuration) };
}

function resourceFrom(resource: RawResource): ResourceDefinition {
  if (typeof resource === "number") return { kind: "capacity", capacity: resource };
  if (typeof resource === "string" || "rate" in resource) return { kind: "quota", ...toRate(resource) };
  const { capacity, onAbandon } = resource;
  return { kind: "capacity", capacity, ...(onAbandon === undefined ? {} : { onAbandon }) };
}
