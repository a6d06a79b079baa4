// Converts the entries of a builder into a definition and its agents, or throws one error that names every problem.
//
//   B1. A built workflow passes the same checks as a contract (CONTRACT-1); only the names of its agents differ.
//   B2. The output step waits for all steps. It requires success of the steps that must succeed, so it never sees a
//       partial execution. For steps that may fail, it waits for any end and sees null instead of their output. It does
//       not see sources of maps and conditions.

import { toDefinition, type RawContract, type RawStep } from "@segno/contract";
import type { StepKey, WorkKey } from "@segno/contract/step-keys";
import {
  formatJsonPath,
  REPEAT_MAX_DEFAULT,
  SegnoError,
  type ActionDefinition,
  type Json,
  type RunnableAction,
  type Definition,
  type Problem,
  type StepDefinition,
} from "@segno/kernel";
import { deepFreeze } from "@segno/kernel/deep-freeze";
import { isObject } from "../checks/option-rules.ts";
import { safeCheck, tooLargeText, WHOLE } from "../checks/copy-json.ts";
import type { BuiltWorkflow } from "../registry/registry.ts";
import type { Agent, NamedAgent } from "../agents/agent.ts";
import type { StepContext } from "../agents/step-context.ts";
import type { ItemWork, MapOptions, MapWork } from "./flow-work.ts";
import { compensationAgent, conditionedAgent, ITEM_INPUT, itemAgent } from "./context-agents.ts";
import { withChildInputs } from "./child-input.ts";
import { withConditions } from "./condition.ts";
import { withSources } from "./map-source.ts";
import { documentOutput, withOutputCheck } from "./output-schema.ts";
import {
  isEndedByHandler,
  ITERATION_ID,
  repeatAgents,
  UNTIL_ID,
  type RepeatedWork,
  type RepeatOptions,
} from "./repeated-work.ts";
import { outputDependencies } from "./output-dependencies.ts";
import { entryProblems, shownId } from "./entry-check.ts";
import type { ActionEntry, EntryWork, StepEntry } from "./step-entry.ts";
import type { CompensationOptions } from "./step-options.ts";

/** The id of the step that produces the output; it is reserved. */
export const OUTPUT_ID = "_output";

type WorkflowHeader = Omit<RawContract, "steps">;

/** The id of the step that runs each item; it locates the step in a definition. */
const ITEM_ID = "item";
/** The id of the fallback of an item. */
const INSTEAD_ID = "fallback";

/** A placeholder for a function in a document. The real agent name contains a character that no contract may use. */
const FUNCTION = "function";

export function build(frame: WorkflowHeader, given: readonly StepEntry[]): BuiltWorkflow {
  const problems = entryProblems(given);
  if (problems.length > 0) throw invalidWorkflow(frame.name, problems.join("; "));
  const refusal = (reason: string): Error => invalidWorkflow(frame.name, reason);
  const parts = withSources(withChildInputs(withConditions(given, refusal), refusal), refusal);
  const document = toDocument(frame, parts);
  const check = safeCheck(document);
  if (check.kind === "not-json")
    throw invalidWorkflow(
      frame.name,
      `${check.path === WHOLE ? "it" : check.path} is ${check.found}, which is not JSON`,
    );
  if (check.kind === "too-large") throw invalidWorkflow(frame.name, tooLargeText("it"));
  const result = toDefinition(structuredClone(check.json as unknown as RawContract));
  if (result.kind === "problems") throw invalidWorkflow(frame.name, problemText(result.problems, document));
  const children = parts.flatMap(({ work }) => calledWorkflows(work));
  return {
    definition: deepFreeze(withAgents(result.definition, parts)),
    agents: collectAgents(frame, parts),
    ...(children.length === 0 ? {} : { children }),
  };
}

function calledWorkflows(work: EntryWork): readonly BuiltWorkflow[] {
  if (typeof work === "function") return [];
  if (work.kind === "repeat") return calledWorkflows(work.work);
  if (work.kind === "map") return itemWorks(work).flatMap(([, each]) => calledWorkflows(each));
  return work.kind === "child" && work.child !== undefined ? [work.child] : [];
}

function toDocument(frame: WorkflowHeader, parts: readonly StepEntry[]): RawContract {
  const undoing = collectCompensations(frame.name, parts);
  const steps = parts.filter(isStep).map((part) => toStepDocument(frame, part as ActionEntry, undoing.get(part.id)));
  const last = parts.find(({ kind }) => kind === "output");
  if (last === undefined) return { ...definedFields(frame), steps };
  const added = new Set(parts.flatMap(({ kind, id }) => (kind === "source" || kind === "internal" ? [id] : [])));
  const outputStep = { ...toStepDocument(frame, last as ActionEntry), dependsOn: outputDependencies(steps, added) };
  return { ...definedFields(frame), steps: [...steps, outputStep], output: `\${ steps.${OUTPUT_ID}.output }` };
}

function isStep({ kind }: StepEntry): boolean {
  return kind === "step" || kind === "source" || kind === "internal";
}

function toStepDocument(
  { name }: WorkflowHeader,
  { id, options, work }: ActionEntry,
  compensate?: Compensation,
): RawStep {
  const refuse = (message: string): Error => invalidWorkflow(name, `step \`${id}\`, ${message}`);
  const { output, ...others } = options;
  const shown = isObject(output) ? documentOutput(output, typeof work === "function", refuse) : output;
  const fields = definedFields({ ...others, output: shown } as RawOptions);
  const step = { ...fields, id, ...documentWork(work, refuse) };
  return compensate === undefined ? step : { ...step, compensate };
}

/** Conditions that are functions are entries of their own by now. */
type RawOptions = Pick<RawStep, StepKey>;

type Compensation = NonNullable<RawStep["compensate"]>;

function collectCompensations(name: string, parts: readonly StepEntry[]): ReadonlyMap<string, Compensation> {
  const ids = new Set(parts.filter(({ kind }) => kind === "step").map(({ id }) => id));
  const undoing = new Map<string, Compensation>();
  for (const { kind, id, options, work } of parts) {
    if (kind !== "compensation") continue;
    if (!ids.has(id)) throw invalidWorkflow(name, `there is no step \`${id}\` to compensate`);
    if (undoing.has(id)) throw invalidWorkflow(name, `the step \`${id}\` has two compensations; it can have one`);
    const refuse = (message: string): Error => invalidWorkflow(name, `the compensation of \`${id}\`, ${message}`);
    undoing.set(id, {
      ...definedFields(options),
      ...compensationInput(id, options, work),
      ...documentWork(work, refuse),
    });
  }
  return undoing;
}

/** A function gets the output of the step beside its input, also if the options define the input. */
function compensationInput(id: string, { input }: CompensationOptions, work: EntryWork): Pick<RawStep, "input"> {
  if (input !== undefined && typeof work !== "function") return { input };
  return { input: { output: `\${ steps.${JSON.stringify(id)}.output }`, input: input ?? "${ input }" } };
}

/** An option that is `undefined` counts as absent. */
function definedFields<Fields extends object>(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields;
}

/** Creates the error for a schema that cannot be used. */
type Refuse = (message: string) => Error;

function documentWork(work: EntryWork, refuse: Refuse): Pick<RawStep, WorkKey> {
  if (typeof work === "function") return { agent: FUNCTION };
  switch (work.kind) {
    case "agent":
      return { agent: work.name };
    case "call":
      return { ...work.call, ...definedFields(work.command ?? {}) };
    case "flow":
      return work.flow;
    case "child":
      return { workflow: work.workflow };
    case "map":
      return { map: toMapDocument(work, refuse) };
    case "repeat":
      return { repeat: toRepeatDocument(work, refuse) };
  }
}

/** A function `until` is not part of a document, so the number of iterations is. */
function toRepeatDocument(
  { work, options }: RepeatedWork<unknown, never, never>,
  refuse: Refuse,
): NonNullable<RawStep["repeat"]> {
  const { until, first: _first, max, delay, ...rest } = options;
  const step = { id: ITERATION_ID, ...definedFields(rest), ...documentWork(work, refuse) } as RawStep;
  const same = definedFields({ max, delay }) as Pick<RepeatOptions, "max" | "delay">;
  if (typeof until !== "function") return { ...same, ...(until === undefined ? {} : { until }), steps: [step] };
  const own = { max: REPEAT_MAX_DEFAULT, ...same };
  if (typeof work === "function") return { ...own, steps: [step] };
  const untilStep: RawStep = { id: UNTIL_ID, dependsOn: [ITERATION_ID], agent: FUNCTION };
  return { ...own, until: `steps.${UNTIL_ID}.output`, steps: [step, untilStep], result: ITERATION_ID };
}

function toMapDocument(
  { over, work, options }: MapWork<unknown, never, never>,
  refuse: Refuse,
): NonNullable<RawStep["map"]> {
  const { retry, timeout, limits, resources, output, fallback, ...rest } = options;
  const common = definedFields({ retry, timeout, limits, resources });
  const item = {
    id: ITEM_ID,
    input: itemInput(work),
    ...common,
    ...definedFields({
      output: isObject(output) ? documentOutput(output, typeof work === "function", refuse) : output,
    }),
    ...documentWork(work, refuse),
  } as RawStep;
  const own = { over: over as NonNullable<RawStep["map"]>["over"], ...definedFields(rest) };
  if (fallback === undefined) return { ...own, steps: [item] };
  const instead = {
    id: INSTEAD_ID,
    input: itemInput(fallback),
    ...common,
    ...documentWork(fallback, refuse),
  } as RawStep;
  return { ...own, steps: [{ ...item, fallback: INSTEAD_ID }, instead], result: ITEM_ID };
}

/** A workflow gets the item itself (CW3). */
function itemInput(work: ItemWork<unknown>): Json {
  return typeof work !== "function" && work.kind === "child" ? "${ item }" : ITEM_INPUT;
}

function withAgents(definition: Definition, parts: readonly StepEntry[]): Definition {
  const calls = new Map(parts.flatMap((part) => ownCalls(definition, part)));
  const endedByHandler = new Set(parts.flatMap(({ id, work }) => (isRepeatEndedByHandler(work) ? [id] : [])));
  const steps = definition.steps.map((step): StepDefinition => {
    const { compensate } = step;
    return {
      ...step,
      action: calls.get(step.id) ?? withInnerAgents(step, calls, endedByHandler),
      ...(compensate === undefined
        ? {}
        : { compensate: { ...compensate, action: calls.get(`${step.id}/compensate`) ?? compensate.action } }),
    };
  });
  return { ...definition, steps };
}

function isRepeatEndedByHandler(work: EntryWork): boolean {
  return typeof work !== "function" && work.kind === "repeat" && isEndedByHandler(work);
}

function withInnerAgents(
  { id, action }: StepDefinition,
  calls: ReadonlyMap<string, RunnableAction>,
  endedByHandler: ReadonlySet<string>,
): ActionDefinition {
  if (action.kind !== "map" && action.kind !== "repeat") return action;
  const steps = action.steps.map((step) => ({ ...step, action: calls.get(`${id}/${step.id}`) ?? step.action }));
  return { ...action, steps, ...(endedByHandler.has(id) ? { isEndedByHandler: true } : {}) };
}

/** The calls of functions, whose agent names no contract may use. All other calls are in the document already. */
function ownCalls(frame: Versioned, part: StepEntry): readonly (readonly [string, RunnableAction])[] {
  return entryFunctions(part).map(([key]) => [key, { kind: "agent", agent: agentName(frame, key) }]);
}

type Versioned = Pick<Definition, "name" | "version">;

/** Every version has its own functions, so executions of an older version continue with theirs. */
function agentName({ name, version }: Versioned, key: string): string {
  return `${name}${version === undefined ? "" : `@${version}`}/${key}`;
}

function collectAgents(frame: WorkflowHeader, parts: readonly StepEntry[]): ReadonlyMap<string, Agent> {
  const agents = new Map<string, Agent>();
  for (const part of parts) {
    for (const [key, own] of entryFunctions(part)) agents.set(agentName(frame, key), own);
    for (const { name, agent } of entryNamedAgents(part.work))
      if (agent !== undefined) addAgent(frame.name, agents, name, agent);
  }
  return agents;
}

/** The functions of an entry, wrapped as agents. A step id contains no slash, so keys cannot collide. */
function entryFunctions(part: StepEntry): readonly (readonly [string, Agent])[] {
  const { kind, id, work } = part;
  if (typeof work === "function")
    return [[kind === "compensation" ? `${id}/compensate` : id, handlerAgent(part, work)]];
  if (work.kind === "repeat") return repeatAgents(work).map(([key, agent]) => [`${id}/${key}`, agent]);
  if (work.kind !== "map") return [];
  return itemWorks(work).flatMap(([key, each]) =>
    typeof each === "function" ? [[`${id}/${key}`, checkedItem(key, each, work.options)] as const] : [],
  );
}

function checkedItem(key: string, each: (context: never) => unknown, { output }: MapOptions): Agent {
  return key === ITEM_ID ? withOutputCheck(itemAgent(each), output) : itemAgent(each);
}

/** The work of each item, by step id. */
function itemWorks({
  work,
  options,
}: MapWork<unknown, never, never>): readonly (readonly [string, ItemWork<unknown>])[] {
  const { fallback } = options;
  return [[ITEM_ID, work], ...(fallback === undefined ? [] : [[INSTEAD_ID, fallback] as const])];
}

function entryNamedAgents(work: EntryWork): readonly NamedAgent<unknown>[] {
  if (typeof work === "function") return [];
  const works = innerWorks(work);
  return works.filter((each) => typeof each !== "function" && each.kind === "agent");
}

function innerWorks(work: Exclude<EntryWork, (context: never) => unknown>): readonly EntryWork[] {
  if (work.kind === "repeat") return [work.work];
  return work.kind === "map" ? itemWorks(work).map(([, each]) => each) : [work];
}

function addAgent(workflow: string, agents: Map<string, Agent>, name: string, agent: Agent): void {
  const known = agents.get(name);
  if (known !== undefined && known !== agent)
    throw invalidWorkflow(workflow, `the agent \`${name}\` is defined with two functions; define it once and reuse it`);
  agents.set(name, agent);
}

function handlerAgent(part: StepEntry, handler: (context: never) => unknown): Agent {
  if (part.kind === "compensation") return compensationAgent(handler);
  return withOutputCheck(actionAgent(part, handler), part.options.output);
}

function actionAgent(part: ActionEntry, handler: (context: never) => unknown): Agent {
  if (part.condition !== undefined) return conditionedAgent(handler, part.condition);
  const execute = (_: unknown, context: StepContext): unknown => handler(context as never);
  // The output and conditions have no options and therefore no timeout of their own.
  return part.kind === "output" || part.kind === "internal" ? { execute, isCallback: true } : { execute };
}

export function invalidWorkflow(name: unknown, reason: string): SegnoError {
  return new SegnoError("DEFINITION_INVALID", `the workflow \`${shownId(name)}\` cannot be built: ${reason}`);
}

function problemText(problems: readonly Problem[], { steps }: RawContract): string {
  return problems
    .map(({ path, message, hint }) => `${pathText(path, steps)}: ${message}${hint === undefined ? "" : ` (${hint})`}`)
    .join("; ");
}

/** A path that names steps by id, because the author of a chain of calls does not count them. */
function pathText([root, index, ...rest]: Problem["path"], steps: readonly RawStep[]): string {
  const step = root === "steps" && typeof index === "number" ? steps[index] : undefined;
  if (step === undefined) return formatJsonPath([root, index, ...rest].filter((part) => part !== undefined));
  return rest.length === 0 ? `step \`${step.id}\`` : `step \`${step.id}\`, ${formatJsonPath(rest)}`;
}
