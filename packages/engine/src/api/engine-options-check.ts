// Checks the options of an engine. This table is the only place that says which values an option accepts.

import { SegnoError } from "@segno/kernel";
import { checkAgentName } from "./agent-check.ts";
import type { EngineLimits, EngineOptions } from "./engine-options.ts";
import { LOG_LEVELS } from "../events/logger.ts";
import { canRun } from "../agents/agent.ts";
import { STRATEGY_NAMES } from "../scheduler/strategy.ts";
import { checkSinks } from "../sinks/sink-options.ts";
import { invalidOption } from "../checks/option-error.ts";
import {
  checkOptions,
  FUNCTION,
  hasMethods,
  isObject,
  isText,
  MILLISECONDS,
  OBJECT,
  oneOf,
  SOME_MILLISECONDS,
  TEXT,
  wholeNumber,
  withMethods,
  type Rule,
} from "../checks/option-rules.ts";

const RULES: Readonly<Record<keyof EngineOptions, Rule>> = {
  store: {
    expected: '"none" or a store',
    fits: (value) =>
      value === "none" || hasMethods(value, "commit", "load", "contents", "find", "post", "poll", "close"),
  },
  file: { expected: "the path of a file", fits: isText },
  durability: oneOf("full", "relaxed"),
  writer: oneOf("auto", "main", "thread"),
  mode: oneOf("own", "post", "readOnly"),
  resume: oneOf("all", "own"),
  foreign: oneOf("accept", "refuse"),
  codec: withMethods("encode", "decode"),
  ownership: withMethods("tryOwn", "release"),
  workflows: { expected: "a list of workflows", fits: Array.isArray },
  agents: {
    expected: "an object of functions, of agents with `execute`, or of results of `agent(name, work)`, by their names",
    fits: (value) => isObject(value) && Object.values(value).every(canRun),
  },
  limits: OBJECT,
  retention: OBJECT,
  cwd: TEXT,
  inheritEnv: { expected: "a list of names", fits: (value) => Array.isArray(value) && value.every(isText) },
  secrets: {
    expected: "a function, or an object with `get` and `where`",
    fits: (value) => typeof value === "function" || hasMethods(value, "get", "where"),
  },
  failures: OBJECT,
  http: OBJECT,
  resources: {
    expected: "an object of resources by their names",
    fits: (value) => isObject(value) && Object.values(value).every(isObject),
  },
  strategy: {
    expected: `${STRATEGY_NAMES.map((name) => `"${name}"`).join(", ")}, or an object with \`select\``,
    fits: (value) => STRATEGY_NAMES.includes(value as never) || hasMethods(value, "select"),
  },
  breaker: { expected: "an object, or false", fits: (value) => value === false || isObject(value) },
  callbackTimeoutMs: SOME_MILLISECONDS,
  environment: withMethods("now", "alarm", "defer", "callSoon", "id", "seed"),
  pollMs: SOME_MILLISECONDS,
  logger: withMethods(...LOG_LEVELS, "child"),
  sinks: { expected: "a list of sinks", fits: Array.isArray },
  unwatchedFailures: oneOf("warn", "ignore"),
  functionOutput: oneOf("terminal", "log"),
  onFault: FUNCTION,
};

/** An engine with no slots starts nothing but still answers queries. */
const LEAST: Readonly<Record<keyof EngineLimits, number>> = {
  slots: 0,
  perAgent: 1,
  liveExecutions: 1,
  inbox: 1,
  journal: 1,
  recordedCalls: 1,
  artifactFiles: 1,
  artifactBytes: 1,
};

export function checkEngineOptions(options: EngineOptions): void {
  if (!isObject(options)) throw invalidOption("options", "an object", options);
  checkOptions("an engine", options, RULES);
  const { store, file, agents = {}, limits = {}, retention = {}, failures = {}, breaker, resources = {} } = options;
  if (store !== undefined && file !== undefined)
    throw new SegnoError("OPTION_INVALID", "give either `store` or `file`, not both");
  for (const [name, agent] of Object.entries(agents)) checkAgentName(name, agent);
  checkSinks(options.sinks ?? []);
  if (options.sinks !== undefined && (options.mode ?? "own") !== "own")
    throw new SegnoError(
      "OPTION_INVALID",
      `\`sinks\` has no effect with \`mode: "${options.mode}"\`: only an owner delivers events`,
    );
  checkOptions("`limits`", limits, LIMITS, "limits.");
  checkOptions("`retention`", retention, RETENTION, "retention.");
  checkOptions("`failures`", failures, FAILURES, "failures.");
  if (typeof breaker === "object") checkOptions("`breaker`", breaker, BREAKER, "breaker.");
  for (const [name, resource] of Object.entries(resources)) checkResource(`resources.${name}`, resource);
}

const LIMITS = Object.fromEntries(
  Object.entries(LEAST).map(([name, least]) => [name, wholeNumber(least)]),
) as unknown as Readonly<Record<keyof EngineLimits, Rule>>;

const RETENTION = { endedMs: MILLISECONDS, logsMs: MILLISECONDS };
const FAILURES = { classify: FUNCTION, resolve: FUNCTION };
const BREAKER = { failures: wholeNumber(1), cooldown: MILLISECONDS };
const CAPACITY = { kind: oneOf("capacity"), capacity: wholeNumber(1) };
const ON_ABANDON = { onAbandon: oneOf("hold", "release") };
const QUOTA = { kind: oneOf("quota"), rate: wholeNumber(1), per: SOME_MILLISECONDS };

function checkResource(name: string, resource: object): void {
  const isQuota = "kind" in resource && resource.kind === "quota";
  const rules = isQuota ? QUOTA : CAPACITY;
  checkOptions(`\`${name}\``, resource, isQuota ? rules : { ...rules, ...ON_ABANDON }, `${name}.`);
  for (const [key, { expected }] of Object.entries(rules))
    if (!Object.hasOwn(resource, key)) throw invalidOption(`${name}.${key}`, expected, undefined);
}
