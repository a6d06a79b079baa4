// Converts the key of a document's step that says what the step does into the definition's action.

import {
  InvariantViolation,
  stepId,
  type ActionDefinition,
  type ApproveAction,
  type RunnableAction,
  type MapAction,
  type RepeatAction,
  type StepDefinition,
  type WaitAction,
} from "@segno/kernel";

import type { RawApprove } from "../models/approve.ts";
import type { RawCall, RawHttp } from "../models/call.ts";
import { toDuration } from "../models/duration.ts";
import type { RawMap, RawRepeat, RawStep } from "../models/step.ts";
import type { RawWait } from "../models/wait.ts";
import { mapField } from "./optional-fields.ts";

/** The steps of a map or a repeat are converted by the function that is passed in, because it also converts their own step. */
type DocumentStepConversion = (step: RawStep) => StepDefinition;

export function actionFrom(step: RawStep, convertStep: DocumentStepConversion): ActionDefinition {
  if (step.workflow !== undefined) return { kind: "workflow", workflow: step.workflow };
  if (step.map !== undefined) return mapFrom(step.map, convertStep);
  if (step.repeat !== undefined) return repeatFrom(step.repeat, convertStep);
  if (step.wait !== undefined) return waitFrom(step.wait);
  if (step.approve !== undefined) return approveFrom(step.approve);
  if (step.barrier !== undefined) return { kind: "barrier" };
  return callFrom(step);
}

export function callFrom({ run, exec, agent, http }: RawCall): RunnableAction {
  if (run !== undefined) return { kind: "run", script: run };
  if (exec !== undefined) return { kind: "exec", argv: exec };
  if (agent !== undefined) return { kind: "agent", agent };
  if (http === undefined) throw new InvariantViolation("CONTRACT-3", "a step without an action got past the checks");
  return httpFrom(http);
}

function httpFrom(http: RawHttp): RunnableAction {
  return typeof http === "string"
    ? { kind: "http", method: "GET", url: http }
    : { kind: "http", ...http, method: http.method ?? "GET" };
}

function mapFrom({ over, steps, result, ...same }: RawMap, convertStep: DocumentStepConversion): MapAction {
  return {
    kind: "map",
    ...same,
    over: typeof over === "string" ? over : Object.entries(over).map(([name, list]) => ({ name, list })),
    steps: steps.map(convertStep),
    ...mapField("result", result, stepId),
  };
}

function repeatFrom({ steps, result, delay, ...same }: RawRepeat, convertStep: DocumentStepConversion): RepeatAction {
  return {
    kind: "repeat",
    ...same,
    steps: steps.map(convertStep),
    ...mapField("result", result, stepId),
    ...mapField("delay", delay, toDuration),
  };
}

function waitFrom({ signal, schema, timeout, for: duration, until }: RawWait): WaitAction {
  if (duration !== undefined) return { kind: "wait", on: "duration", for: toDuration(duration) };
  if (until !== undefined) return { kind: "wait", on: "time", until };
  if (signal === undefined) throw new InvariantViolation("CONTRACT-3", "a wait for nothing got past the checks");
  return {
    kind: "wait",
    on: "signal",
    signal,
    ...mapField("schema", schema, (same) => same),
    ...mapField("timeout", timeout, toDuration),
  };
}

function approveFrom({ expires, ...same }: RawApprove): ApproveAction {
  return { kind: "approve", ...same, ...mapField("expires", expires, toDuration) };
}
