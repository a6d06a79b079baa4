// The one key of a step that says what it does, from the definition's action.

import type {
  ActionDefinition,
  CallDefinition,
  HttpAction,
  MapAction,
  StepDefinition,
  Template,
  WaitAction,
} from "@segno/kernel";

import type { CallDocument, HttpDocument, HttpMethod, Scalar } from "../models/call.ts";
import { formatDuration } from "../models/duration.ts";
import type { MapDocument, StepDocument } from "../models/step.ts";
import type { WaitDocument } from "../models/wait.ts";
import { converted } from "./written-fields.ts";

type StepConversion = (step: StepDefinition) => StepDocument;
type ActionKeys = Pick<
  StepDocument,
  "run" | "exec" | "agent" | "http" | "workflow" | "map" | "wait" | "approve" | "barrier"
>;

export function actionKeys(action: ActionDefinition, convertStep: StepConversion): ActionKeys {
  switch (action.kind) {
    case "workflow":
      return { workflow: action.workflow };
    case "map":
      return { map: mapDocument(action, convertStep) };
    case "wait":
      return { wait: waitDocument(action) };
    case "approve": {
      const { kind, expires, message, ...same } = action;
      return {
        [kind]: {
          ...same,
          ...converted("expires", expires, formatDuration),
          ...converted("message", message, templateText),
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

export function callKeys(action: CallDefinition): CallDocument {
  switch (action.kind) {
    case "run":
      return { run: action.script };
    case "exec":
      return { exec: action.argv as readonly Scalar[] };
    case "agent":
      return { agent: action.agent };
    case "http":
      return { http: httpDocument(action) };
  }
}

function httpDocument({ method, url, headers, body }: HttpAction): HttpDocument {
  if (method === "GET" && headers === undefined && body === undefined) return templateText(url);
  const written = { method: method as HttpMethod, url: templateText(url) };
  return {
    ...written,
    ...converted("headers", headers, (defined) => defined as Record<string, Scalar>),
    ...converted("body", body, (same) => same),
  };
}

function mapDocument(
  { over, steps, label, result, concurrency, tolerance }: MapAction,
  convertStep: StepConversion,
): MapDocument {
  return {
    over,
    ...converted("label", label, templateText),
    ...converted("concurrency", concurrency, Number),
    ...converted("tolerance", tolerance, (same) => same),
    steps: steps.map(convertStep),
    ...converted("result", result, String),
  };
}

function waitDocument(wait: WaitAction): WaitDocument {
  switch (wait.on) {
    case "duration":
      return { for: formatDuration(wait.for) };
    case "time":
      return { until: templateText(wait.until) };
    case "signal":
      return {
        signal: wait.signal,
        ...converted("schema", wait.schema, (same) => same),
        ...converted("timeout", wait.timeout, formatDuration),
      };
  }
}

/** Text, in every definition that came from a contract. */
function templateText(template: Template): string {
  return template as string;
}
