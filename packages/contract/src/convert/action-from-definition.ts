// Converts the definition's action into the key of a document's step that says what the step does.

import type {
  ActionDefinition,
  RunnableAction,
  HttpAction,
  MapAction,
  RepeatAction,
  StepDefinition,
  Template,
  WaitAction,
} from "@segno/kernel";

import type { RawCall, RawHttp, HttpMethod, Scalar } from "../models/call.ts";
import { formatDuration } from "../models/duration.ts";
import type { RawMap, RawRepeat, RawStep } from "../models/step.ts";
import type { RawWait } from "../models/wait.ts";
import { mapField } from "./optional-fields.ts";

type DefinitionStepConversion = (step: StepDefinition) => RawStep;
type ActionKeys = Pick<
  RawStep,
  "run" | "exec" | "agent" | "http" | "workflow" | "map" | "repeat" | "wait" | "approve" | "barrier"
>;

export function actionKeys(action: ActionDefinition, convertStep: DefinitionStepConversion): ActionKeys {
  switch (action.kind) {
    case "workflow":
      return { workflow: action.workflow };
    case "map":
      return { map: toRawMap(action, convertStep) };
    case "repeat":
      return { repeat: toRawRepeat(action, convertStep) };
    case "wait":
      return { wait: toRawWait(action) };
    case "approve": {
      const { kind, expires, message, ...same } = action;
      return {
        [kind]: {
          ...same,
          ...mapField("expires", expires, formatDuration),
          ...mapField("message", message, templateText),
        },
      };
    }
    case "barrier":
      return { barrier: true };
    case "run":
    case "exec":
    case "agent":
    case "http":
      return callKeys(action);
  }
}

export function callKeys(action: RunnableAction): RawCall {
  switch (action.kind) {
    case "run":
      return { run: action.script };
    case "exec":
      return { exec: action.argv as readonly Scalar[] };
    case "agent":
      return { agent: action.agent };
    case "http":
      return { http: toRawHttp(action) };
  }
}

function toRawHttp({ method, url, headers, body }: HttpAction): RawHttp {
  if (method === "GET" && headers === undefined && body === undefined) return templateText(url);
  const written = { method: method as HttpMethod, url: templateText(url) };
  return {
    ...written,
    ...mapField("headers", headers, (defined) => defined as Record<string, Scalar>),
    ...mapField("body", body, (same) => same),
  };
}

function toRawMap(
  { over, steps, label, result, concurrency, tolerance }: MapAction,
  convertStep: DefinitionStepConversion,
): RawMap {
  return {
    over: typeof over === "string" ? over : Object.fromEntries(over.map(({ name, list }) => [name, list])),
    ...mapField("label", label, templateText),
    ...mapField("concurrency", concurrency, Number),
    ...mapField("tolerance", tolerance, (same) => same),
    steps: steps.map(convertStep),
    ...mapField("result", result, String),
  };
}

function toRawRepeat(
  { steps, result, until, max, delay }: RepeatAction,
  convertStep: DefinitionStepConversion,
): RawRepeat {
  return {
    ...mapField("until", until, String),
    ...mapField("max", max, Number),
    ...mapField("delay", delay, formatDuration),
    steps: steps.map(convertStep),
    ...mapField("result", result, String),
  };
}

function toRawWait(wait: WaitAction): RawWait {
  switch (wait.on) {
    case "duration":
      return { for: formatDuration(wait.for) };
    case "time":
      return { until: templateText(wait.until) };
    case "signal":
      return {
        signal: wait.signal,
        ...mapField("schema", wait.schema, (same) => same),
        ...mapField("timeout", wait.timeout, formatDuration),
      };
  }
}

/** In every definition that was loaded from a contract, the value is text. */
function templateText(template: Template): string {
  return template as string;
}
