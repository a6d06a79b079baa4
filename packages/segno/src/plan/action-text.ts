// Describes the action of a step in one line, from the definition alone: nothing is looked up or run.

import type { ActionDefinition, ApproveAction, Json, RepeatAction, WaitAction } from "@segno/kernel";

import { durationText } from "./duration-text.ts";

export function actionText(action: ActionDefinition): string {
  switch (action.kind) {
    case "run":
      return scriptText(action.script);
    case "exec":
      return action.argv.map(argumentText).join(" ");
    case "agent":
      return action.agent;
    case "http":
      return `${action.method} ${plainText(action.url)}`;
    case "workflow":
      return action.workflow;
    case "map":
      return `for each of ${typeof action.over === "string" ? action.over : action.over.map(({ name }) => name).join(" × ")}`;
    case "repeat":
      return repeatText(action);
    case "wait":
      return waitText(action);
    case "approve":
      return approvalText(action);
    case "barrier":
      return "waits for several steps";
  }
}

/** The first line of the script that is not empty or a comment, and the number of further lines. */
function scriptText(script: string): string {
  const lines = script.split(/\r?\n/u).map((line) => line.trim());
  const working = lines.filter((line) => line !== "" && !line.startsWith("#") && !/^set [-+]/u.test(line));
  const first = working[0] ?? lines.find((line) => line !== "") ?? "";
  const more = working.length - 1;
  return more > 0 ? `${first} (+${more} ${more === 1 ? "line" : "lines"})` : first;
}

/** Quotes an argument that could be read as two. */
function argumentText(argument: Json): string {
  const text = plainText(argument);
  const isTemplate = /^\$\{[^}]*\}$/u.test(text);
  return text !== "" && (isTemplate || !/[\s"'\\]/u.test(text)) ? text : JSON.stringify(text);
}

function plainText(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function repeatText(action: RepeatAction): string {
  const { max, delay } = action;
  const until = untilText(action);
  const times = max === undefined ? undefined : `${until === undefined ? "" : "at most "}${max} times`;
  const end = until === undefined ? undefined : `until ${until}`;
  const pause = delay === undefined ? undefined : `every ${durationText(delay)}`;
  return [end, times, pause].filter((part) => part !== undefined).join(", ");
}

/** A function of the builder is called by the engine, or by a step that Segno adds to each iteration. */
function untilText({ until, isEndedByHandler, steps }: RepeatAction): string | undefined {
  const isStep = until === "steps._until.output" && steps.some(({ id }) => id === "_until");
  return isEndedByHandler === true || isStep ? "a function returns true" : until;
}

function waitText(action: WaitAction): string {
  switch (action.on) {
    case "signal":
      return `for the signal ${action.signal}${action.timeout === undefined ? "" : `, at most ${durationText(action.timeout)}`}`;
    case "duration":
      return `for ${durationText(action.for)}`;
    case "time":
      return `until ${plainText(action.until)}`;
  }
}

function approvalText({ by, quorum, expires, onExpire, schema }: ApproveAction): string {
  const people = by === undefined ? "anyone" : by.join(", ");
  const votes = quorum === undefined ? "" : `, ${quorum} ${quorum === 1 ? "vote" : "votes"}`;
  const end = expires === undefined ? "" : `, ${onExpire ?? "reject"} after ${durationText(expires)}`;
  return `by ${people}${votes}${schema === undefined ? "" : ", with an answer"}${end}`;
}
