// A workflow step: its type, its dependencies, and how the plan reacts to its failure.
//
// The fields under "reserved" are kept as they were written, with any type, and have no effect (PLAN-16, ruling 57).

import type { Json } from "@segno/kernel";
import type { IdAndClock } from "./id-and-clock.ts";
import { build } from "./build.ts";
import { comparableId, integer, listCheck, oneOf, text, truth, uuid } from "./check.ts";
import type { FieldReader } from "./field-reader.ts";
import { hasBrand, type BrandedModel } from "./model-brand.ts";
import { ErrorAction, StepType } from "./vocabulary.ts";

export interface WorkflowStepRecord {
  readonly stepId: string;
  readonly correlationId: string;
  readonly stepName: string;
  readonly stepType: StepType;
  readonly timeoutMs: number;
  /** Advisory: passed on to the action's target. */
  readonly retryCount: number;
  readonly enabled: boolean;
  readonly skipOnFailure: boolean;
  /** Advisory: the error action decides alone. */
  readonly continueOnError: boolean;
  /** Absent unless the author wrote it. Without it, the failure strategy decides (ruling 11). */
  readonly errorAction?: ErrorAction;
  readonly priority: number;
  readonly dependsOn: readonly string[];
  // Hints for the node that executes the action.
  readonly orderIndex: number;
  readonly maxMemoryMb: number | null;
  readonly maxCpuPercent: number | null;
  readonly parallelGroup: string | null;
  readonly maxParallelInstances: number;
  // Reserved.
  readonly compensationAction: Json;
  readonly checkpointRequired: Json;
  readonly idempotencyKey: Json;
  readonly condition: Json;
}

/** A step as the planner reads it. */
export type WorkflowStep = WorkflowStepRecord & BrandedModel<"workflow step">;

type RequiredStepFields = "stepName" | "stepType";

/** The fields of `workflowStep`. */
export type WorkflowStepFields = Pick<WorkflowStepRecord, RequiredStepFields> & {
  readonly [Name in Exclude<keyof WorkflowStepRecord, RequiredStepFields>]?: WorkflowStepRecord[Name] | undefined;
};

const stepName = text(200, "empty-name");
const stepType = oneOf(StepType, "unknown-step-type");
const timeoutMs = integer(100, 300_000);
const retryCount = integer(0, 10);
const errorAction = oneOf(ErrorAction, "unknown-value");
const maxMemoryMb = integer(1, 32_768);
const percent = integer(1, 100);
const priority = integer(1, 1000);
const orderIndex = integer(0);
const parallelGroup = text(100);
const maxParallelInstances = integer(1, 100);
const ids = listCheck(uuid);
const NO_IDS: readonly string[] = Object.freeze([]);

export function workflowStep(fields: WorkflowStepFields, idAndClock: Pick<IdAndClock, "newId">): WorkflowStep {
  const step = build("workflow step", fields, (reader) => readStep(reader, idAndClock));
  const dependsOn = step.dependsOn.map(comparableId);
  const stepId = comparableId(step.stepId);
  if (stepId !== step.stepId || dependsOn.some((id, index) => id !== step.dependsOn[index]))
    lowerCaseIds.set(step, { stepId, dependsOn });
  return step;
}

type StepIds = Pick<WorkflowStepRecord, "stepId" | "dependsOn">;

/** The ids of steps that have upper-case letters in them. A plan compares every id, so they are converted once. */
const lowerCaseIds = new WeakMap<WorkflowStep, StepIds>();

/** The ids of a step in the form in which they are compared. */
export function comparableIds(step: WorkflowStep): StepIds {
  return lowerCaseIds.get(step) ?? step;
}

/** Whether a value is a step that `workflowStep` made. */
export function isWorkflowStep(value: unknown): value is WorkflowStep {
  return hasBrand(value, "workflow step");
}

/**
 * One object literal, with the fields that the planner reads most at the beginning: every step then has the same layout in
 * memory, and a plan reads many steps.
 */
function readStep(fields: FieldReader, idAndClock: Pick<IdAndClock, "newId">): WorkflowStepRecord {
  const newId = (): string => idAndClock.newId();
  const step: Writable = {
    stepId: fields.withGenerated("stepId", uuid, newId),
    stepName: fields.required("stepName", stepName),
    stepType: fields.required("stepType", stepType),
    dependsOn: fields.withDefault("dependsOn", ids, NO_IDS),
    enabled: fields.withDefault("enabled", truth, true),
    skipOnFailure: fields.withDefault("skipOnFailure", truth, false),
    correlationId: fields.withGenerated("correlationId", uuid, newId),
    timeoutMs: fields.withDefault("timeoutMs", timeoutMs, 30_000),
    retryCount: fields.withDefault("retryCount", retryCount, 3),
    priority: fields.withDefault("priority", priority, 100),
    continueOnError: fields.withDefault("continueOnError", truth, false),
    orderIndex: fields.withDefault("orderIndex", orderIndex, 0),
    maxMemoryMb: fields.orNull("maxMemoryMb", maxMemoryMb),
    maxCpuPercent: fields.orNull("maxCpuPercent", percent),
    parallelGroup: fields.orNull("parallelGroup", parallelGroup),
    maxParallelInstances: fields.withDefault("maxParallelInstances", maxParallelInstances, 1),
    compensationAction: fields.readOrKeep("compensationAction", null),
    checkpointRequired: fields.readOrKeep("checkpointRequired", false),
    idempotencyKey: fields.readOrKeep("idempotencyKey", null),
    condition: fields.readOrKeep("condition", null),
  };
  const givenAction = fields.optional("errorAction", errorAction);
  if (givenAction !== undefined) step.errorAction = givenAction;
  return step;
}

type Writable = { -readonly [Name in keyof WorkflowStepRecord]: WorkflowStepRecord[Name] };
