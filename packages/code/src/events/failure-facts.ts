// The facts about failures in events: of an attempt, as the engine records it, and of a merge, as the merge tells its fix.

import {
  compiledStep,
  isJsonArray,
  isJsonObject,
  render,
  stepNamed,
  type CompiledRead,
  type Failure,
  type Json,
  type JsonObject,
  type State,
} from "@segno/kernel";
import { ERROR_TYPES, ErrorType } from "../model/error-type.ts";
import type { ConflictInfo } from "../model/merge-result.ts";
import type { CodeEvent } from "./event-port.ts";

export type FailureFacts = Pick<CodeEvent, "error" | "errorType" | "conflicts" | "ciLogs">;

const BY_CODE: Readonly<Record<string, ErrorType>> = {
  ECONNREFUSED: ErrorType.NetworkTimeout,
  ECONNRESET: ErrorType.NetworkTimeout,
  ETIMEDOUT: ErrorType.NetworkTimeout,
  ENOTFOUND: ErrorType.NetworkTimeout,
  EAI_AGAIN: ErrorType.NetworkTimeout,
  NetworkError: ErrorType.NetworkTimeout,
  AuthenticationError: ErrorType.AuthenticationError,
  TEMPLATE_INVALID: ErrorType.InvalidTemplate,
  PARAMETER_INVALID: ErrorType.InvalidTemplate,
  CONFIGURATION_INVALID: ErrorType.ConfigurationError,
  TASK_UNKNOWN: ErrorType.MissingDependency,
};

/** An error whose code is one of the types has that type. */
export function failureFacts(failure: Failure): FailureFacts {
  const errorType = typeOfFailure(failure);
  return { error: failure.message, ...(errorType === undefined ? {} : { errorType }) };
}

function typeOfFailure({ code, class: kind }: Failure): ErrorType | undefined {
  if (isErrorType(code)) return code;
  if (Object.hasOwn(BY_CODE, code)) return BY_CODE[code];
  if (kind === "timeout") return ErrorType.AgentTimeout;
  return kind === "transient" ? ErrorType.ResourceUnavailable : undefined;
}

function isErrorType(value: unknown): value is ErrorType {
  return (ERROR_TYPES as readonly unknown[]).includes(value);
}

/** The failure of a merge that opened into these children. */
export interface MergeFailureFacts extends FailureFacts {
  readonly originalTaskId?: string;
  readonly fixTaskId?: string;
}

/**
 * Reads the context of the fix from the input of the first child that has one. Children are made at run time from values, so
 * their inputs are constants; an expression in them, such as the output of a sibling, has no value yet and is left out.
 */
export function mergeFailureFacts(state: State, merge: string, children: readonly string[]): MergeFailureFacts {
  for (const child of children) {
    const step = stepNamed(state, `${merge}/${child}`);
    const input = step === undefined ? undefined : constantInput(state, step);
    const fix = input?.["fix"];
    if (input === undefined || !isJsonObject(fix)) continue;
    return { ...contextFacts(fix), ...textField(input, "fixTaskId") };
  }
  return {};
}

/** The text of a question. */
export function questionText(state: State, step: number): string | undefined {
  const { work } = compiledStep(state, step);
  const text = work.kind === "approval" && work.message !== undefined ? constant(work.message) : undefined;
  return typeof text === "string" ? text : undefined;
}

function contextFacts(fix: JsonObject): MergeFailureFacts {
  const { error, conflicts } = fix;
  const type = isJsonObject(error) ? error["type"] : undefined;
  const message = isJsonObject(error) ? error["message"] : undefined;
  return {
    ...textField(fix, "originalTaskId"),
    ...(typeof message === "string" ? { error: message } : {}),
    ...(isErrorType(type) ? { errorType: type } : {}),
    ...(isConflictInfo(conflicts) ? { conflicts } : {}),
    ...textField(fix, "ciLogs"),
  };
}

function textField<Key extends string>(object: JsonObject, key: Key): Partial<Record<Key, string>> {
  const value = object[key];
  return (typeof value === "string" ? { [key]: value } : {}) as Partial<Record<Key, string>>;
}

function isConflictInfo(value: Json | undefined): value is ConflictInfo & JsonObject {
  return isJsonObject(value) && isJsonArray(value["files"]);
}

function constantInput(state: State, step: number): JsonObject | undefined {
  const { call } = compiledStep(state, step);
  const rendered = call === undefined ? undefined : constant(call);
  const input = isJsonObject(rendered) ? rendered["input"] : undefined;
  return isJsonObject(input) ? input : undefined;
}

function constant({ template }: CompiledRead): Json | undefined {
  const rendered = render(template, {}, false);
  return rendered.kind === "value" ? rendered.value : undefined;
}
