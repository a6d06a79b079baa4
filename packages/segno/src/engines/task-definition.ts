// The definition of a task: a frozen value, checked when it is created. Times are in seconds (ENGINES-1).

import { ANYTHING, checkOptions, invalidOption, OBJECT, type OptionRule, type StepContext } from "@segno/engine";
import { SegnoError, type Json } from "@segno/kernel";

/** The workflow's context, and the outputs of earlier tasks, by their ids and names. It is read-only. */
export type TaskContext = Readonly<Record<string, Json>>;

/** A function of this process. The second argument has everything else, such as the abort signal. */
export type TaskFunction = (context: TaskContext, step: StepContext) => unknown;

/** A function on a thread: a file, by URL or path, or a package, and the name of its export (`default`). */
export interface TaskModule {
  readonly module: URL | string;
  readonly export?: string;
}

/** The work of a task: a function, or a module that runs on a worker thread. */
export type TaskAction = TaskFunction | TaskModule;

/** Evaluated once, before the first attempt: the task is skipped unless the result is true. */
export type TaskCondition = (context: TaskContext) => unknown;

/** Options of a task. */
export interface TaskOptions {
  /** The default is a UUID. */
  readonly id?: string;
  /** Ids or names of tasks, including tasks that are added later. */
  readonly dependencies?: readonly string[];
  /** The time limit of an attempt, in seconds. Absent or null means no limit. */
  readonly timeout?: number | null;
  /** Attempts beyond the first. Absent or null means the engine's `maxRetries`. */
  readonly retries?: number | null;
  /** Seconds between two attempts. The default is 1. */
  readonly retryDelay?: number;
  /** Decides whether the task runs; without it, the task runs. */
  readonly condition?: TaskCondition | null;
}

/** A task of a workflow, with all its options. */
export interface TaskDefinition extends Required<TaskOptions> {
  readonly name: string;
  /** A task without an action fails when it runs. */
  readonly action: TaskAction | null;
}

const RETRY_DELAY_SECONDS = 1;
/** The attempt counter has 16 bits and includes the first attempt. */
export const RETRIES_MAX = 65_534;
/** About 68 years, the longest time that a timer supports. */
const SECONDS_MAX = 2_147_483_647;

export function taskDefinition(name: string, action: unknown, id: string, options: TaskOptions): TaskDefinition {
  checkTaskOptions(name, options);
  const { dependencies = [], timeout = null, retries = null, retryDelay = RETRY_DELAY_SECONDS } = options;
  const { condition = null } = options;
  demand(name, typeof name === "string", "has a name that is not text");
  demand(name, typeof id === "string" && id !== "", "has an id that is not text");
  demand(name, isDependencies(dependencies), "has dependencies that are not a list of ids and names");
  demand(name, timeout === null || isSeconds(timeout, 0), "has a timeout that is not a number of seconds above 0");
  demand(name, retries === null || isRetries(retries), `has retries that are not a whole number up to ${RETRIES_MAX}`);
  demand(name, retryDelay === 0 || isSeconds(retryDelay, 0), "has a retryDelay that is not a number of seconds");
  demand(name, condition === null || typeof condition === "function", "has a condition that is not a function");
  const own = { id, name, action: checkAction(name, action), timeout, retries, retryDelay, condition };
  return Object.freeze({ ...own, dependencies: Object.freeze([...dependencies]) });
}

/** The values are checked where they are used. */
const OPTIONS: Readonly<Record<keyof TaskOptions, OptionRule>> = {
  id: ANYTHING,
  dependencies: ANYTHING,
  timeout: ANYTHING,
  retries: ANYTHING,
  retryDelay: ANYTHING,
  condition: ANYTHING,
};
const MODULE: Readonly<Record<keyof TaskModule, OptionRule>> = { module: ANYTHING, export: ANYTHING };

function checkTaskOptions(name: string, options: TaskOptions): void {
  if (!OBJECT.fits(options)) throw invalidOption("options", OBJECT.expected, options);
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

/** Copies a module, because the caller may change the object later. */
function checkAction(name: string, action: unknown): TaskAction | null {
  if (action === undefined || action === null) return null;
  if (typeof action === "function") return action as TaskFunction;
  const { module, export: exportName } = action as Partial<TaskModule>;
  const isModule = module instanceof URL || typeof module === "string";
  demand(name, isModule, "has an action that is neither a function nor a module");
  checkOptions(`the module of the task \`${name}\``, action, MODULE);
  demand(name, exportName === undefined || typeof exportName === "string", "names an export that is not text");
  return Object.freeze({ module: module!, ...(exportName === undefined ? {} : { export: exportName }) });
}

function demand(name: unknown, isSo: boolean, problem: string): void {
  if (!isSo) throw new SegnoError("DEFINITION_INVALID", `the task \`${String(name)}\` ${problem}`);
}
