// A task as it was written down: a frozen value, checked when it is made. Times are in seconds (ENGINES-1).

import { SegnoError, type Json } from "@segno/kernel";
import { invalidOption } from "../checks/option-error.ts";
import { ANYTHING, checkOptions, isObject, type Rule } from "../checks/option-rules.ts";
import type { StepContext } from "../agents/step-context.ts";

/** What was given to the workflow, and what tasks before this one gave, by their ids and names. It can only be read. */
export type TaskContext = Readonly<Record<string, Json>>;

/** A function of this process. What it may need beside the context, such as the signal to stop, comes second. */
export type TaskFunction = (context: TaskContext, step: StepContext) => unknown;

/** A function on a thread: a file, by URL or path, or a package, and the name of what it exports (`default`). */
export interface TaskModule {
  readonly module: URL | string;
  readonly export?: string;
}

export type TaskAction = TaskFunction | TaskModule;

/** Asked once, before the first attempt: the task is skipped unless it is true. */
export type TaskCondition = (context: TaskContext) => unknown;

export interface TaskOptions {
  /** A UUID when it is absent. */
  readonly id?: string;
  /** Ids or names of tasks, also of such as are added later. */
  readonly dependencies?: readonly string[];
  /** How long an attempt may take, in seconds; any time when it is absent or null. */
  readonly timeout?: number | null;
  /** Attempts beyond the first; those that the engine gives to all when it is absent or null. */
  readonly retries?: number | null;
  /** Seconds between two attempts; 1 when it is absent. */
  readonly retryDelay?: number;
  readonly condition?: TaskCondition | null;
}

export interface TaskDefinition extends Required<TaskOptions> {
  readonly name: string;
  /** A task without one fails when it is run. */
  readonly action: TaskAction | null;
}

const RETRY_DELAY_SECONDS = 1;
/** A counter of attempts has 16 bits, and the first is one of them. */
export const RETRIES_MAX = 65_534;
/** About 68 years: everything that a timer may be asked for. */
const SECONDS_MAX = 2_147_483_647;

export function taskDefinition(name: string, action: unknown, id: string, options: TaskOptions): TaskDefinition {
  checkTaskOptions(name, options);
  const { dependencies = [], timeout = null, retries = null, retryDelay = RETRY_DELAY_SECONDS } = options;
  const { condition = null } = options;
  demand(name, typeof name === "string", "has a name that is no text");
  demand(name, typeof id === "string" && id !== "", "has an id that is no text");
  demand(name, isDependencies(dependencies), "has dependencies that are no list of ids and names");
  demand(name, timeout === null || isSeconds(timeout, 0), "has a timeout that is no number of seconds above 0");
  demand(name, retries === null || isRetries(retries), `has retries that are no whole number up to ${RETRIES_MAX}`);
  demand(name, retryDelay === 0 || isSeconds(retryDelay, 0), "has a retryDelay that is no number of seconds");
  demand(name, condition === null || typeof condition === "function", "has a condition that is no function");
  const own = { id, name, action: checkAction(name, action), timeout, retries, retryDelay, condition };
  return Object.freeze({ ...own, dependencies: Object.freeze([...dependencies]) });
}

/** What each may be is said where it is taken. */
const OPTIONS: Readonly<Record<keyof TaskOptions, Rule>> = {
  id: ANYTHING,
  dependencies: ANYTHING,
  timeout: ANYTHING,
  retries: ANYTHING,
  retryDelay: ANYTHING,
  condition: ANYTHING,
};
const MODULE: Readonly<Record<keyof TaskModule, Rule>> = { module: ANYTHING, export: ANYTHING };

function checkTaskOptions(name: string, options: TaskOptions): void {
  if (!isObject(options)) throw invalidOption("options", "an object", options);
  checkOptions(`the task \`${name}\``, options, OPTIONS);
}

export function isRetries(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= RETRIES_MAX;
}

export function isSeconds(value: unknown, above: number): value is number {
  return typeof value === "number" && value > above && value <= SECONDS_MAX;
}

function isDependencies(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

/** A module is copied, so that whoever gave it may go on changing it. */
function checkAction(name: string, action: unknown): TaskAction | null {
  if (action === undefined || action === null) return null;
  if (typeof action === "function") return action as TaskFunction;
  const { module, export: exportName } = action as Partial<TaskModule>;
  const isModule = module instanceof URL || typeof module === "string";
  demand(name, isModule, "has an action that is neither a function nor a module");
  checkOptions(`the module of the task \`${name}\``, action, MODULE);
  demand(name, exportName === undefined || typeof exportName === "string", "names an export that is no text");
  return Object.freeze({ module: module!, ...(exportName === undefined ? {} : { export: exportName }) });
}

function demand(name: unknown, isSo: boolean, problem: string): void {
  if (!isSo) throw new SegnoError("DEFINITION_INVALID", `the task \`${String(name)}\` ${problem}`);
}
