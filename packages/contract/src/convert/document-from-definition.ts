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

import type { AgentDocument, BreakerDocument } from "../models/agent.ts";
import type { CompensateDocument } from "../models/compensate.ts";
import type { ContractDocument } from "../models/contract-document.ts";
import type { DependencyDocument } from "../models/dependency.ts";
import { formatDuration } from "../models/duration.ts";
import type { LimitsDocument } from "../models/limits.ts";
import { formatRate } from "../models/rate.ts";
import type { ResourceDocument } from "../models/resource.ts";
import type { RetryDocument } from "../models/retry.ts";
import { STEP_ORDER } from "../models/step-keys.ts";
import type { StepDocument } from "../models/step.ts";
import { callKeys, actionKeys } from "./action-from-definition.ts";
import { mapField, inOrder, mapValues } from "./optional-fields.ts";

const CONTRACT_ORDER =
  "name version description input variables readOnly strict concurrency sequential timeout grace onFailure resources agents secrets steps output".split(
    " ",
  );

/** The models accept only text for these templates. A definition that code built may have other values; it does not load again. */
export function documentFrom(definition: Definition): ContractDocument {
  const { timeout, grace, resources, agents, steps, ...same } = definition;
  const document: ContractDocument = {
    ...same,
    ...mapField("timeout", timeout, formatDuration),
    ...mapField("grace", grace, formatDuration),
    ...mapField("resources", resources, (defined) => mapValues(defined, resourceDocument)),
    ...mapField("agents", agents, (defined) => mapValues(defined, agentDocument)),
    steps: steps.map(stepDocument),
  };
  return inOrder(document, CONTRACT_ORDER);
}

function stepDocument(step: StepDefinition): StepDocument {
  const { id, name, action, dependsOn, env, retry, timeout, compensate, limits, ...same } = step;
  const document: StepDocument = {
    ...same,
    id,
    ...mapField("name", name, String),
    ...actionKeys(action, stepDocument),
    ...mapField("dependsOn", dependsOn, (dependencies) => dependencies.map(dependencyDocument)),
    ...mapField("env", env, environmentDocument),
    ...mapField("retry", retry, retryDocument),
    ...mapField("timeout", timeout, formatDuration),
    ...mapField("compensate", compensate, compensateDocument),
    ...mapField("limits", limits, limitsDocument),
  };
  return inOrder(document, STEP_ORDER);
}

function dependencyDocument({ step, on }: DependencyDefinition): DependencyDocument {
  return on === "succeeded" ? step : { step, on };
}

function environmentDocument(env: NonNullable<StepDefinition["env"]>): NonNullable<StepDocument["env"]> {
  return env as NonNullable<StepDocument["env"]>;
}

function retryDocument(retry: RetryDefinition): RetryDocument {
  if (retry.attempts !== undefined && Object.keys(retry).length === 1) return retry.attempts;
  const { base, max, ...same } = retry;
  return { ...same, ...mapField("base", base, formatDuration), ...mapField("max", max, formatDuration) };
}

function compensateDocument({ action, env, retry, timeout, ...same }: CompensationDefinition): CompensateDocument {
  return {
    ...callKeys(action),
    ...same,
    ...mapField("env", env, environmentDocument),
    ...mapField("retry", retry, retryDocument),
    ...mapField("timeout", timeout, formatDuration),
  };
}

function limitsDocument({ rate, ...same }: LimitsDefinition): LimitsDocument {
  return { ...same, ...mapField("rate", rate, formatRate) };
}

export function agentDocument({ limits, breaker, ...same }: AgentDefinition): AgentDocument {
  return { ...same, ...mapField("limits", limits, limitsDocument), ...mapField("breaker", breaker, breakerDocument) };
}

function breakerDocument({ cooldown, ...same }: BreakerDefinition): BreakerDocument {
  return { ...same, ...mapField("cooldown", cooldown, formatDuration) };
}

function resourceDocument(resource: ResourceDefinition): ResourceDocument {
  if (resource.kind === "quota") return formatRate(resource);
  const { capacity, onAbandon } = resource;
  return onAbandon === undefined ? capacity : { capacity, onAbandon };
}
