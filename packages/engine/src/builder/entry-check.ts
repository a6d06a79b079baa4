// Checks the arguments of builder calls. TypeScript rejects most mistakes; plain JavaScript gets an error here that
// names the expected and the actual value.
//
// Options and work are not checked here, but like those of a contract (B1).

import { STEP_KINDS, type StepKey } from "@segno/contract/step-keys";
import { describeValue } from "@segno/kernel/describe-value";
import { hasMethods, isObject } from "../checks/option-rules.ts";
import type { RepeatOptions } from "./repeated-work.ts";
import type { StepEntry, EntryWork } from "./step-entry.ts";

/** The problems, one sentence each. */
export function entryProblems(parts: readonly StepEntry[]): readonly string[] {
  return parts.flatMap((part) => {
    const problem = findProblem(part);
    return problem === undefined ? [] : [`${PLACES[part.kind](shownId(part.id))}: ${problem}`];
  });
}

/** The id of a step or the name of a workflow, for a message; it may have any type. */
export function shownId(id: unknown): string {
  return typeof id === "string" ? id : describeValue(id);
}

const PLACES: Readonly<Record<StepEntry["kind"], (id: string) => string>> = {
  step: (id) => `step \`${id}\``,
  source: (id) => `step \`${id}\``,
  internal: (id) => `step \`${id}\``,
  compensation: (id) => `the compensation of \`${id}\``,
  output: () => "the output",
};

const CALLS = "a function, or the result of `agent`, `shell`, `exec` or `http`";
const STEPS =
  "a function, or the result of `agent`, `shell`, `exec`, `http`, `map`, `repeat`, `child`, `sleep`, `sleepUntil`, `waitForSignal`, `approval` or `barrier`";

const EXPECTED: Readonly<Record<StepEntry["kind"], string>> = {
  step: STEPS,
  source: STEPS,
  internal: STEPS,
  compensation: CALLS,
  output: "a function",
};

function findProblem({ kind, id, options, work }: StepEntry): string | undefined {
  if (typeof id !== "string") return `expected its id first, which is text, found ${describeValue(id)}`;
  if (kind === "step" && id.startsWith("_"))
    return "ids that begin with `_` are reserved for steps that the builder adds";
  if (isWork(options) && !isWork(work))
    return `expected ${EXPECTED[kind]}, found ${describeValue(work)} (options come before the handler)`;
  if (!isObject(options)) return `expected its options, an object, found ${describeValue(options)}`;
  const misplaced = NO_OPTIONS.find((key) => Reflect.get(options, key) !== undefined);
  if (misplaced === "id") return "`id` is not an option: pass the id as the first argument";
  if (misplaced !== undefined) return `\`${misplaced}\` is not an option: pass the work after the options`;
  if (!isWork(work)) return workProblem(EXPECTED[kind], work);
  if (typeof work === "function") return undefined;
  if (work.kind === "repeat") return repeatProblem(work.work, work.options);
  return work.kind === "map" ? mapProblem(work.work, work.options) : undefined;
}

/** The kind and the work of a step are not options; they would be overwritten silently. */
const NO_OPTIONS: readonly StepKey[] = ["id", ...STEP_KINDS];

function mapProblem(work: unknown, options: unknown): string | undefined {
  if (isWork(options) && !isWork(work))
    return `expected as the work of each item ${CALLS}, found ${describeValue(work)} (the options of a map come last)`;
  if (!isWork(work)) return `of each item: ${workProblem(CALLS, work)}`;
  // No agent would be registered for its function, and its steps would wait for ever.
  if (typeof work !== "function" && work.kind === "map")
    return "a map cannot be the work of each item of a map; use a workflow for each item, or one list of all items";
  if (hasChildInput(work)) return "of each item: the item is the input of the workflow; leave out the function";
  if (!isObject(options)) return `expected the options of the map, an object, found ${describeValue(options)}`;
  return instead(Reflect.get(options, "fallback"));
}

const ITERATIONS = "a function, or the result of `agent`, `shell`, `exec`, `http` or `child`";

function repeatProblem(work: unknown, options: unknown): string | undefined {
  if (!isObject(options))
    return `expected the options of the repetition first, an object, found ${describeValue(options)}`;
  if (!isWork(work) || (typeof work !== "function" && (work.kind === "map" || work.kind === "repeat")))
    return `of each iteration: ${workProblem(ITERATIONS, work)}`;
  if (hasChildInput(work)) return "of each iteration: write the `input` of the workflow as an option, a template";
  const { until, first } = options as Partial<RepeatOptions>;
  if (until !== undefined && typeof until !== "string" && typeof until !== "function")
    return `expected \`until\` as an expression or a function, found ${describeValue(until)}`;
  if (first !== undefined && typeof work !== "function")
    return "`first` is an option for a function only; an expression can write `last || …`";
  if (Reflect.get(options, "input") !== undefined && typeof work === "function")
    return "`input` is an option for an agent, a command or a workflow only; a function has its own code";
  return undefined;
}

function hasChildInput(work: EntryWork): boolean {
  return typeof work !== "function" && work.kind === "child" && work.input !== undefined;
}

function instead(fallback: unknown): string | undefined {
  if (fallback === undefined || isItemWork(fallback)) return undefined;
  return `of the fallback of each item: ${workProblem(CALLS, fallback)}`;
}

function isItemWork(value: unknown): boolean {
  return (
    isWork(value) &&
    (typeof value === "function" || value.kind === "agent" || value.kind === "call" || value.kind === "child")
  );
}

type Kind = Exclude<EntryWork, (...given: never[]) => unknown>["kind"];

const KINDS: Readonly<Record<Kind, true>> = {
  agent: true,
  call: true,
  flow: true,
  child: true,
  map: true,
  repeat: true,
};

function isWork(value: unknown): value is EntryWork {
  if (typeof value === "function") return !isAgentClass(value);
  return isObject(value) && "kind" in value && typeof value.kind === "string" && Object.hasOwn(KINDS, value.kind);
}

function workProblem(expected: string, found: unknown): string {
  const hint = hintFor(found);
  const shown = isAgentClass(found) ? "a class" : describeValue(found);
  return `expected ${expected}, found ${shown}${hint === undefined ? "" : ` (${hint})`}`;
}

function hintFor(found: unknown): string | undefined {
  if (typeof found === "string") return "for a command use `shell(script)`, for an agent `agent(name)`";
  if (isAgentClass(found)) return "for an agent use `agent(name, instance)`, with an instance of the class";
  if (hasMethods(found, "execute")) return "for an agent use `agent(name, instance)`";
  if (hasMethods(found, "then")) return "a promise has already started: pass the function that creates it";
  if (!isObject(found)) return undefined;
  if ("definition" in found) return "for another workflow use `child(workflow)`";
  return "if these are options, pass the work after them";
}

/** A class cannot be called. For a subclass of an agent this is certainly a mistake. */
function isAgentClass(value: unknown): boolean {
  return typeof value === "function" && hasMethods(value.prototype, "execute");
}
