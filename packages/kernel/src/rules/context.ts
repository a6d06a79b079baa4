// Context: the data that an expression sees (DATA-1), built for one step, with only the parts that its expressions can read.
//
//   X1. A step sees the steps that ended before it, and nothing else (DATA-10). Writes are applied in plan order, not in the order
//       in which steps ended, so a retry and a recovery see the same values.
//   X2. A child of a map or of steps made at run time sees what its scope sees; a sub-workflow sees only its own input.
//       A compensation sees what the step that it undoes sees, and that step itself.
//   X3. Values that are not loaded are recorded as needs; the decision is made again when they are loaded.

import type { ContentHash } from "../model/units.ts";
import { isJsonArray, type Json, type JsonObject } from "../model/json.ts";
import { DELAY_ID } from "../model/policy.ts";
import type { Value } from "../model/value.ts";
import { neighbours, type Graph } from "../graph/graph.ts";
import { endedBefore } from "../graph/precedence.ts";
import type { Reference } from "../data/jmespath/references.ts";
import { overlaps, type VariablePath } from "../data/variable-path.ts";
import { WrittenVariables } from "../data/written-variables.ts";
import type { Writer } from "../program/program.ts";
import { FAILED, SUCCEEDED } from "../state/phase.ts";
import { instanceIndex, localStep, siblingIndex, type Region } from "../state/region.ts";
import { enclosingWorkflowRegion, compensatedStep, findRegion, iterationBefore } from "../state/step-position.ts";
import type { State } from "../state/state.ts";
import { artifactField } from "./artifact-field.ts";
import { stepStatus } from "../state/step-status.ts";
import { stepTimes } from "../state/step-times.ts";
import type { StoredValues } from "./stored-values.ts";

export class ContextMaker {
  readonly needs: Set<ContentHash> = new Set();
  readonly #state: State;
  readonly #values: StoredValues;

  constructor(state: State, values: StoredValues) {
    this.#state = state;
    this.#values = values;
  }

  /** The context for the expressions of a step. */
  forStep(step: number, references: readonly Reference[]): JsonObject {
    return this.#make({ reader: compensatedStep(this.#state, step), region: undefined, references });
  }

  /** The variables after the writes of a step's ancestors; its own output is written into them. */
  variablesBefore(step: number, path: VariablePath): Json {
    return this.#variables(step, findRegion(this.#state, step), [{ path: ["variables", ...path] }], false);
  }

  /** The context for the output of a workflow, which is rendered when all its steps have ended. */
  forRegion(region: Region, references: readonly Reference[]): JsonObject {
    return this.#make({ reader: -1, region, references });
  }

  /** The JSON of a value; null while it is not loaded, and then it is recorded as a need. */
  load(value: Value | undefined, gatherFrom?: number): Json {
    if (value === undefined) return null;
    switch (value.kind) {
      case "inline":
        return value.json;
      case "gathered":
        return gatherFrom === undefined ? null : this.gather(gatherFrom);
      case "stored": {
        const json = this.#values.value(value.hash);
        if (json === undefined) this.needs.add(value.hash);
        return json ?? null;
      }
    }
  }

  /** The outputs of a scope's children: one for each item of a map, one for each step otherwise. */
  gather(parent: number): Json {
    const region = this.#state.regions.findLast((each) => each.parent === parent);
    if (region === undefined) return null;
    if (region.kind !== "items") return this.#gatherSteps(region);
    if (region.stride === 0) return [];
    const items: Json[] = [];
    for (let step = region.base + region.result; step < region.base + region.size; step += region.stride)
      items.push(this.stepOutput(step));
    return items;
  }

  #gatherSteps(region: Region): Json {
    const entries = region.program.steps.map(
      (compiled, local) => [compiled.definition.id, this.stepOutput(region.base + local)] as const,
    );
    return Object.fromEntries(entries);
  }

  /** The output that dependants read under a step's id: its own, or the output of its fallback (STATE-8). */
  stepOutput(step: number): Json {
    const { columns, phaseEvents } = this.#state;
    const phase = columns.phase[step];
    if (phase === SUCCEEDED) {
      const event = phaseEvents[step];
      return event?.kind === "step.completed" ? this.load(event.output, step) : null;
    }
    if (phase !== FAILED) return null;
    const region = findRegion(this.#state, step);
    const { fallback } = region.program.steps[localStep(region, step)]!;
    return fallback < 0 ? null : this.stepOutput(siblingIndex(region, step, fallback));
  }

  #make({ reader, region, references }: ContextRequest): JsonObject {
    const own = region ?? findRegion(this.#state, reader);
    const context: Record<string, Json> = {};
    for (const root of rootNames(references)) {
      const value = this.#root(root, reader, own, references);
      if (value !== undefined) context[root] = value;
    }
    return context;
  }

  #root(root: string, reader: number, region: Region, references: readonly Reference[]): Json | undefined {
    switch (root) {
      case "execution":
        return this.#execution(workflowRegion(this.#state, region));
      case "input":
        return this.#input(workflowRegion(this.#state, region));
      case "variables":
        return this.#variables(reader, region, references, !isDynamic(this.#state, region));
      case "steps":
        return this.#steps(reader, region, references);
      case "previous":
        return this.#previous(reader, region);
      case "item":
        return this.#item(reader, region)?.item;
      case "index":
        return this.#index(reader, region);
      case "last":
        return this.#last(reader, region);
      default:
        return undefined;
    }
  }

  #execution(frame: Region): Json {
    const { created, startedAt } = this.#state;
    return {
      id: created?.execution ?? null,
      workflow: frame.program.definition.name,
      startedAt: startedAt ?? null,
      correlationId: created?.correlationId ?? null,
    };
  }

  #input(frame: Region): Json {
    return this.load(workflowInput(this.#state, frame));
  }

  /** `isChecked`: the compiler has checked that every writer of a read variable comes before the reader. */
  #variables(reader: number, region: Region, references: readonly Reference[], isChecked: boolean): Json {
    const {
      region: frame,
      reader: step,
      canReadItself,
    } = regionReader(this.#state, { region, reader, canReadItself: false });
    const paths = references
      .filter(({ path }) => path[0] === undefined || path[0] === "variables")
      .map(({ path }) => path.slice(1));
    const { definition, writers } = frame.program;
    const isBefore = beforeTest(frame, step, canReadItself, isChecked);
    const variables = new WrittenVariables(definition.variables ?? {});
    for (const writer of writers) {
      const isRead = this.#hasWritten(frame, writer, step) && paths.some((path) => overlaps(path, writer.path));
      if (isRead && isBefore(writer.step)) this.#applyWrite(variables, frame, writer);
    }
    return variables.value;
  }

  #hasWritten(frame: Region, { step, isPrivate }: Writer, reader: number): boolean {
    const stepIndex = frame.base + step;
    return this.#state.columns.phase[stepIndex] === SUCCEEDED && (!isPrivate || stepIndex === reader);
  }

  #applyWrite(variables: WrittenVariables, frame: Region, { step, path, merge }: Writer): void {
    variables.write({ path, merge, value: this.stepOutput(frame.base + step) });
  }

  #steps(reader: number, region: Region, references: readonly Reference[]): Json {
    const ids = new Set<string>();
    for (const { path } of references) {
      if (path[0] === "steps" && path[1] !== undefined) ids.add(path[1]);
      else if (path[0] === undefined || path[0] === "steps")
        for (const id of this.#visibleIds({ reader, region, canReadItself: false })) ids.add(id);
    }
    const views: Record<string, Json> = {};
    for (const id of ids) {
      const stepIndex = this.#find(id, { reader, region, canReadItself: false }, true);
      if (stepIndex === undefined) continue;
      views[id] = { ...this.#stepView(stepIndex), ...artifactField(this.#state, stepIndex, id, references) };
    }
    return views;
  }

  #visibleIds({ reader, region, canReadItself }: Reader): readonly string[] {
    const { graph } = region.program;
    const own =
      reader < 0
        ? graph.ids
        : visibleBefore(graph, localStep(region, reader), canReadItself).map((step) => graph.ids[step]!);
    const outer = readerOutside(this.#state, region);
    return outer === undefined ? own : [...this.#visibleIds(outer), ...own];
  }

  /** The compiler could not check what steps made at run time read outside of their scope, so it is checked here. */
  #find(id: string, { reader, region, canReadItself }: Reader, isChecked: boolean): number | undefined {
    const { graph } = region.program;
    const local = graph.indexById.get(id);
    if (local !== undefined) {
      if (!isChecked && !visibleBefore(graph, localStep(region, reader), canReadItself).includes(local))
        return undefined;
      return reader < 0 ? region.base + local : siblingIndex(region, reader, local);
    }
    const outer = readerOutside(this.#state, region);
    return outer === undefined ? undefined : this.#find(id, outer, isChecked && region.kind !== "steps");
  }

  #stepView(step: number): JsonObject {
    const event = this.#state.phaseEvents[step];
    const failure = event?.kind === "step.failed" ? event.failure : undefined;
    const { startedAt = null, completedAt = null, durationMs = null } = stepTimes(this.#state, step);
    return {
      status: stepStatus(this.#state, step),
      output: this.stepOutput(step),
      error: failure === undefined ? null : { class: failure.class, code: failure.code, message: failure.message },
      attempts: this.#state.columns.attempts[step]!,
      startedAt,
      completedAt,
      durationMs,
    };
  }

  #previous(reader: number, region: Region): Json {
    if (reader < 0) return null;
    const [dependency] = neighbours(region.program.graph.dependencies, localStep(region, reader));
    return dependency === undefined ? null : this.stepOutput(siblingIndex(region, reader, dependency));
  }

  #item(reader: number, region: Region): { item: Json; index: number } | undefined {
    if (region.kind === "items") {
      const index = instanceIndex(region, reader);
      const items = this.load(region.value);
      return { item: isJsonArray(items) ? (items[index] ?? null) : null, index };
    }
    const outer = readerOutside(this.#state, region);
    return outer === undefined ? undefined : this.#item(outer.reader, outer.region);
  }

  /** The index of the innermost item or iteration. */
  #index(reader: number, region: Region): number | undefined {
    if (region.kind === "items") return instanceIndex(region, reader);
    if (region.kind === "iteration") return region.iteration;
    const outer = readerOutside(this.#state, region);
    return outer === undefined ? undefined : this.#index(outer.reader, outer.region);
  }

  /**
   * STATE-13: the output of the last iteration that has ended. For a step this is the iteration before its own; for `until`,
   * which reads after all steps, the iteration itself.
   */
  #last(reader: number, region: Region): Json | undefined {
    if (region.kind === "iteration") return this.lastIteration(region, reader < 0);
    const outer = readerOutside(this.#state, region);
    return outer === undefined ? undefined : this.#last(outer.reader, outer.region);
  }

  /** The output of an iteration that has ended, or of the one before; null before the first has ended. */
  lastIteration(region: Region, hasEnded: boolean): Json {
    const ended = hasEnded ? region : iterationBefore(this.#state, region);
    return ended === undefined ? null : this.stepOutput(ended.base + ended.result);
  }
}

/** The data that a function gets beside its input, and the stored values that must be loaded for them. */
export interface HandlerData {
  /** The outputs of the direct dependencies by their ids. */
  readonly outputs: Readonly<Record<string, Json>>;
  /** Only for a step of a repetition (STATE-13). */
  readonly iteration: IterationData | undefined;
  readonly needs: readonly ContentHash[];
}

export interface IterationData {
  readonly index: number;
  /** The output of the iteration before; null in the first one. */
  readonly last: Json;
}

/** A step of a repetition that depends on no other step of it has the dependencies of the repetition. */
export function handlerData(state: State, step: number, values: StoredValues): HandlerData {
  const maker = new ContextMaker(state, values);
  const region = findRegion(state, step);
  const outputs: Record<string, Json> = {};
  addOutputs(region, step, maker, outputs);
  if (region.kind !== "iteration") return { outputs, iteration: undefined, needs: [...maker.needs] };
  if (Object.keys(outputs).length === 0) addOutputs(findRegion(state, region.parent), region.parent, maker, outputs);
  const iteration = { index: region.iteration, last: maker.lastIteration(region, false) };
  return { outputs, iteration, needs: [...maker.needs] };
}

function addOutputs(region: Region, step: number, maker: ContextMaker, outputs: Record<string, Json>): void {
  const { dependencies, ids } = region.program.graph;
  for (const dependency of neighbours(dependencies, localStep(region, step))) {
    const id = ids[dependency]!;
    if (id !== DELAY_ID) outputs[id] = maker.stepOutput(siblingIndex(region, step, dependency));
  }
}

interface ContextRequest {
  readonly reader: number;
  readonly region: Region | undefined;
  readonly references: readonly Reference[];
}

const ROOTS = ["execution", "input", "variables", "steps", "previous", "item", "index", "last"];

function rootNames(references: readonly Reference[]): ReadonlySet<string> {
  const roots = new Set<string>();
  for (const { path } of references) {
    if (path[0] === undefined) return new Set(ROOTS);
    roots.add(path[0]);
  }
  return roots;
}

/** The reading step and its position. */
interface Reader {
  readonly reader: number;
  readonly region: Region;
  /** Whether the reader sees its own step too: for a compensation, which runs after its step has ended. */
  readonly canReadItself: boolean;
}

/** The reader through which the steps of a region see their surroundings; undefined if they see nothing outside. */
function readerOutside(state: State, { kind, parent }: Region): Reader | undefined {
  if (kind !== "items" && kind !== "iteration" && kind !== "steps") return undefined;
  const reader = compensatedStep(state, parent);
  return { reader, region: findRegion(state, reader), canReadItself: reader !== parent };
}

function visibleBefore(graph: Graph, local: number, canReadItself: boolean): readonly number[] {
  const before = endedBefore(graph, local);
  return canReadItself ? [...before, local] : before;
}

/**
 * Whether a writer comes before the reader (DATA-10). For a checked reader, every writer comes before or after it, and a step
 * of an earlier wave does not come after it. So the graph is searched only if a later step has already ended, as in a new round
 * or a compensation, or if a fallback is in the reader's own wave.
 */
function beforeTest(
  frame: Region,
  reader: number,
  canReadItself: boolean,
  isChecked: boolean,
): (step: number) => boolean {
  if (reader < 0) return () => true;
  const { graph, order } = frame.program;
  const local = localStep(frame, reader);
  let before: ReadonlySet<number> | undefined;
  return (step) => {
    if (isChecked && (step === local || order.waveOf[step]! < order.waveOf[local]!)) return true;
    before ??= new Set(visibleBefore(graph, local, canReadItself));
    return before.has(step);
  };
}

/**
 * Whether the steps of a region were made at run time, or are inside such steps, so that the compiler did not check what they
 * read outside.
 */
function isDynamic(state: State, region: Region): boolean {
  if (region.kind === "steps") return true;
  const isNested = region.kind === "items" || region.kind === "iteration";
  return isNested && isDynamic(state, findRegion(state, region.parent));
}

/** The workflow or sub-workflow that a region belongs to. */
function workflowRegion(state: State, region: Region): Region {
  return region.parent < 0 || region.kind === "workflow" ? region : enclosingWorkflowRegion(state, region.parent);
}

/** The same, with the step of that workflow through which the reader sees it. */
function regionReader(state: State, reader: Reader): Reader {
  const outer = readerOutside(state, reader.region);
  return outer === undefined ? reader : regionReader(state, outer);
}

/** The input of the enclosing workflow of a step: of the execution, or of the sub-workflow (DATA-1). */
export function enclosingInput(state: State, step: number): Value | undefined {
  return workflowInput(state, enclosingWorkflowRegion(state, step));
}

function workflowInput(state: State, frame: Region): Value | undefined {
  return frame.kind === "workflow" ? frame.value : state.created?.input;
}
