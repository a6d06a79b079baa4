// Rules between the keys of one step.

import { isJsonArray, isJsonObject, parseTime, type Json, type JsonObject, type JsonPath } from "@segno/kernel";

import { describeValue } from "../text/describe-value.ts";
import { parseDuration } from "../models/duration.ts";
import { CALL_KINDS, IDLE_OPTIONS, STEP_KINDS } from "../models/step-keys.ts";
import { WAIT_KINDS } from "../models/wait.ts";
import type { DocumentProblems } from "./document-problems.ts";

export function stepRules(step: JsonObject, path: JsonPath, problems: DocumentProblems): void {
  exactlyOne(step, STEP_KINDS, path, "a step", problems);
  if (isJsonObject(step["compensate"])) compensateRules(step["compensate"], [...path, "compensate"], problems);
  if (isJsonObject(step["wait"])) waitRules(step["wait"], [...path, "wait"], problems);
  if (isJsonObject(step["approve"])) approveRules(step["approve"], [...path, "approve"], problems);
  if (isJsonObject(step["map"])) overRules(step["map"], [...path, "map"], problems);
  if (isJsonObject(step["repeat"])) bareExpression(step["repeat"], "until", [...path, "repeat"], problems);
  if (isJsonObject(step["output"])) outputRules(step["output"], [...path, "output"], problems);
  bareExpression(step, "when", path, problems);
  programRule(step["exec"], [...path, "exec"], problems);
  shellRule(step["shell"], [...path, "shell"], problems);
  artifactRules(step["artifacts"], [...path, "artifacts"], problems);
  retryRules(step["retry"], [...path, "retry"], problems);
  idleOptionRules(step, path, problems);
  idleScopeRules(step, path, problems);
}

/** The limits and resources of a map or a repeat apply to those of its steps that run something. */
function idleScopeRules(step: JsonObject, path: JsonPath, problems: DocumentProblems): void {
  for (const scope of ["map", "repeat"] as const) {
    if (!isJsonObject(step[scope]) || runsSomething(step[scope])) continue;
    for (const key of ["resources", "limits"])
      if (step[key] !== undefined)
        problems.addAtKey(
          "KEYS_CONFLICT",
          [...path, key],
          `expected no \`${key}\` beside a \`${scope}\` whose steps have no attempts`,
          "write it on steps that run a command, a request or an agent",
        );
  }
}

function runsSomething({ steps }: JsonObject): boolean {
  if (!isJsonArray(steps)) return true;
  return steps.some(
    (each) =>
      isJsonObject(each) &&
      (CALL_KINDS.some((kind) => each[kind] !== undefined) ||
        (isJsonObject(each["map"]) && runsSomething(each["map"])) ||
        (isJsonObject(each["repeat"]) && runsSomething(each["repeat"]))),
  );
}

/** An option that has no effect beside the action is refused, because its author relies on it. */
function idleOptionRules(step: JsonObject, path: JsonPath, problems: DocumentProblems): void {
  for (const { option, otherKey, hint } of IDLE_OPTIONS)
    if (step[otherKey] !== undefined && step[option] !== undefined)
      problems.addAtKey("KEYS_CONFLICT", [...path, option], `expected no \`${option}\` beside \`${otherKey}\``, hint);
}

function compensateRules(compensate: JsonObject, path: JsonPath, problems: DocumentProblems): void {
  exactlyOne(compensate, CALL_KINDS, path, "a compensation", problems);
  programRule(compensate["exec"], [...path, "exec"], problems);
  shellRule(compensate["shell"], [...path, "shell"], problems);
  idleOptionRules(compensate, path, problems);
  retryRules(compensate["retry"], [...path, "retry"], problems);
}

function exactlyOne(
  map: JsonObject,
  kinds: readonly string[],
  path: JsonPath,
  subject: string,
  problems: DocumentProblems,
): void {
  const [first, ...others] = kinds.filter((kind) => Object.hasOwn(map, kind));
  if (first === undefined) {
    problems.add(
      "ACTION_MISSING",
      path,
      `expected ${subject} with exactly one of ${kinds.join(", ")}, found none of them`,
    );
  }
  for (const kind of others) {
    problems.addAtKey(
      "ACTION_AMBIGUOUS",
      [...path, kind],
      `expected ${subject} with exactly one of ${kinds.join(", ")}, found \`${kind}\` beside \`${first}\``,
    );
  }
}

function waitRules(wait: JsonObject, path: JsonPath, problems: DocumentProblems): void {
  exactlyOne(wait, WAIT_KINDS, path, "a wait", problems);
  for (const key of ["schema", "timeout"]) {
    if (wait[key] === undefined || wait["signal"] !== undefined) continue;
    problems.addAtKey(
      "KEYS_CONFLICT",
      [...path, key],
      `expected \`${key}\` beside \`signal\` only`,
      key === "timeout" ? "`for` and `until` end by themselves" : undefined,
    );
  }
  const { until } = wait;
  if (typeof until !== "string" || until === "" || until.includes("${") || parseTime(until) !== undefined) return;
  problems.add(
    "WAIT_TIME_INVALID",
    [...path, "until"],
    `expected a time such as \`2030-01-31T09:00:00Z\`, or a template that gives one, found ${describeValue(until)}`,
  );
}

/** Uses the codes of the kernel, which reports the same problems if the rest of the step is valid. */
function approveRules(approve: JsonObject, path: JsonPath, problems: DocumentProblems): void {
  const { by, quorum } = approve;
  if (isJsonArray(by) && by.length === 0) {
    const hint = "without `by`, everybody may vote";
    problems.add("APPROVAL_INVALID", [...path, "by"], "expected at least one voter, found none", hint);
  }
  if (isJsonArray(by) && typeof quorum === "number" && by.length > 0 && quorum > new Set(by).size) {
    problems.add(
      "APPROVAL_INVALID",
      [...path, "quorum"],
      `expected a quorum of at most ${new Set(by).size}, the number of voters, found ${describeValue(quorum)}`,
    );
  }
  if (approve["onExpire"] !== undefined && approve["expires"] === undefined) {
    problems.addAtKey("KEYS_CONFLICT", [...path, "onExpire"], "expected `expires` beside `onExpire`, found none");
  }
}

function outputRules(output: JsonObject, path: JsonPath, problems: DocumentProblems): void {
  bareExpression(output, "select", path, problems);
  if (output["merge"] !== undefined && output["to"] === undefined) {
    problems.addAtKey(
      "KEYS_CONFLICT",
      [...path, "merge"],
      "expected `to` beside `merge`, found none",
      "name the variable to write: `to: variables.name`",
    );
  }
}

function overRules(map: JsonObject, path: JsonPath, problems: DocumentProblems): void {
  bareExpression(map, "over", path, problems);
  const { over } = map;
  if (!isJsonObject(over)) return;
  for (const [name, values] of Object.entries(over)) {
    bareExpression(over, name, [...path, "over"], problems);
    const index = isJsonArray(values) ? values.findIndex(holdsTemplate) : -1;
    if (index >= 0)
      problems.add(
        "WRONG_VALUE",
        [...path, "over", name, index],
        "expected plain values in the list of a matrix, found a template",
        "write the whole list as an expression: `[input.first, 'second']`",
      );
  }
}

function holdsTemplate(value: Json): boolean {
  if (typeof value === "string") return value.includes("${");
  if (isJsonArray(value)) return value.some(holdsTemplate);
  return isJsonObject(value) && Object.values(value).some(holdsTemplate);
}

/** Other tools wrap conditions in `${ }`; in Segno the whole value is an expression. */
function bareExpression(map: JsonObject, key: string, path: JsonPath, problems: DocumentProblems): void {
  const value = map[key];
  if (typeof value !== "string" || !value.trimStart().startsWith("${")) return;
  problems.add(
    "WRONG_VALUE",
    [...path, key],
    `expected a bare expression, found a template: ${describeValue(value)}`,
    "write it without `${ }`",
  );
}

function programRule(exec: Json | undefined, path: JsonPath, problems: DocumentProblems): void {
  if (!isJsonArray(exec) || exec.length === 0) return;
  const [program] = exec;
  if (program === "" || typeof program === "number" || typeof program === "boolean") {
    problems.add("WRONG_VALUE", [...path, 0], `expected the name of a program, found ${describeValue(program)}`);
  }
}

/** A shell that came from data could run anything. */
function shellRule(shell: Json | undefined, path: JsonPath, problems: DocumentProblems): void {
  const words = isJsonArray(shell) ? shell : [shell];
  if (words.some((word) => typeof word === "string" && word.includes("${")))
    problems.add("WRONG_VALUE", path, "expected plain text for the shell, found a template");
}

/** Files outside the working directory belong to others, and data must not choose which files are kept. */
function artifactRules(patterns: Json | undefined, path: JsonPath, problems: DocumentProblems): void {
  if (!isJsonArray(patterns)) return;
  for (const [index, pattern] of patterns.entries()) {
    if (typeof pattern !== "string" || !/^(?:[/\\]|[A-Za-z]:)|(?:^|[/\\])\.\.(?:[/\\]|$)|\$\{|\0/u.test(pattern))
      continue;
    const expected = "a pattern of files below the working directory";
    const hint = "write it relative to `cwd`, without `..` and without a template";
    problems.add("WRONG_VALUE", [...path, index], `expected ${expected}, found ${describeValue(pattern)}`, hint);
  }
}

function retryRules(retry: Json | undefined, path: JsonPath, problems: DocumentProblems): void {
  if (!isJsonObject(retry)) return;
  const base = milliseconds(retry["base"]);
  const max = milliseconds(retry["max"]);
  if (base !== undefined && max !== undefined && max < base) {
    problems.add(
      "OUT_OF_RANGE",
      [...path, "max"],
      `expected \`max\` to be at least \`base\`, found ${describeValue(retry["max"])}`,
    );
  }
}

function milliseconds(value: Json | undefined): number | undefined {
  if (typeof value === "number") return value < 0 ? undefined : value;
  return typeof value === "string" ? parseDuration(value) : undefined;
}
