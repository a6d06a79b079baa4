// Definitions: random workflows that are valid by construction, with everything that a step can have.

import {
  compileDefinition,
  contentHash,
  durationMs,
  stepId,
  type ActionDefinition,
  type ContentHash,
  type Definition,
  type DependencyDefinition,
  type Json,
  type OutputDefinition,
  type Program,
  type RetryCause,
  type StepDefinition,
} from "../../src/index.ts";
import { Choices } from "./choices.ts";

export interface Workflow {
  readonly program: Program;
  readonly library: ReadonlyMap<ContentHash, Program>;
}

/** The features that a generated workflow may have. */
export interface Traits {
  readonly steps: number;
  /** Timeouts, waits and approvals: features that depend on more than the order of completions. */
  readonly waits: boolean;
  readonly scopes: boolean;
}

const ALL_TRAITS: Traits = { steps: 7, waits: true, scopes: true };

export const SUB_WORKFLOWS: readonly ContentHash[] = [contentHash("sha256:sub0"), contentHash("sha256:sub1")];

/** The definition that a `workflow` step resolves to. */
export function subWorkflow(name: string): ContentHash {
  return name === "sub1" ? SUB_WORKFLOWS[1]! : SUB_WORKFLOWS[0]!;
}

export function makeWorkflow(bytes: Uint8Array, traits: Traits = ALL_TRAITS): Workflow {
  const choices = new Choices(bytes);
  const root = new DefinitionMaker(choices, traits).definition("main", "s");
  const library = new Map<ContentHash, Program>();
  if (traits.scopes) {
    const small = { ...traits, steps: 3 };
    SUB_WORKFLOWS.forEach((hash, index) => {
      // They may call themselves, which is refused if the call is unconditional and by their own name.
      library.set(hash, compiled(new DefinitionMaker(choices, small, 1).definition(`kin${index}`, "w")));
    });
  }
  return { program: compiled(root), library };
}

function compiled(definition: Definition): Program {
  const result = compileDefinition(definition);
  if (result.kind === "program") return result.program;
  throw new Error(`the generator made an invalid definition: ${JSON.stringify(result.problems[0])}`);
}

/** A step while it is generated. */
interface Sketch {
  readonly id: string;
  readonly dependsOn: DependencyDefinition[];
  readonly isEnabled: boolean;
  readonly primary: Sketch | undefined;
  fallback: Sketch | undefined;
  output: OutputDefinition | undefined;
  isPrivate: boolean;
}

interface Place {
  readonly inMap: boolean;
  readonly inRepeat: boolean;
  readonly isNested: boolean;
  readonly outer: readonly string[];
}

const TOP: Place = { inMap: false, inRepeat: false, isNested: false, outer: [] };
const VARIABLES = ["variables.a", "variables.b", "variables.c.d"];

class DefinitionMaker {
  readonly #choices: Choices;
  readonly #traits: Traits;
  #depth: number;

  constructor(choices: Choices, traits: Traits, depth = 0) {
    this.#choices = choices;
    this.#traits = traits;
    this.#depth = depth;
  }

  definition(name: string, prefix: string): Definition {
    const choices = this.#choices;
    const steps = this.#steps(prefix, this.#traits.steps, TOP);
    return {
      name,
      steps,
      variables: { a: 1, b: [], c: { d: {} }, fixed: 7 },
      onFailure: choices.of(["abort", "finish", "compensate"]),
      ...(choices.percent(30) ? { output: this.#workflowOutput(steps) } : {}),
      ...(choices.percent(10) ? { strict: true } : {}),
      // No input fits a list of types, as the driver checks them, and yet expressions may read its fields (CONTRACT-11).
      ...(choices.percent(5) ? { input: { type: choices.of<Json>(["object", ["number", "object"]]) } } : {}),
      ...(this.#traits.waits && choices.percent(15) ? { timeout: durationMs(choices.of([400, 3000])) } : {}),
      ...(choices.percent(20) ? { grace: durationMs(choices.of([0, 100])) } : {}),
      ...(choices.percent(10) ? { readOnly: ["variables.fixed"] } : {}),
    };
  }

  #workflowOutput(steps: readonly StepDefinition[]): Json {
    return this.#choices.of<Json>([
      { all: "${ variables }", last: `\${ steps.${steps.at(-1)!.id}.output }` },
      "${ steps }",
      "${ abs(input.list) }",
    ]);
  }

  #steps(prefix: string, most: number, place: Place): StepDefinition[] {
    const choices = this.#choices;
    const sketches: Sketch[] = [];
    const count = 1 + choices.below(most);
    for (let index = 0; index < count; index++) this.#sketch(sketches, `${prefix}${index}`, place);
    for (const sketch of sketches) dropRivalWrite(sketch, sketches);
    const made = sketches.map((sketch) => this.#step(sketch, sketches, place));
    return choices.percent(30) ? this.#shuffled(made) : made;
  }

  #shuffled<Item>(items: readonly Item[]): Item[] {
    const rest = [...items];
    return items.map(() => rest.splice(this.#choices.below(rest.length), 1)[0]!);
  }

  /** Dependencies, fallbacks and captures first, because they decide what a step may read. */
  #sketch(sketches: Sketch[], id: string, place: Place): void {
    const choices = this.#choices;
    const dependsOn: DependencyDefinition[] = [];
    for (const other of sketches) {
      if (other.primary === undefined && choices.percent(40))
        dependsOn.push({
          step: stepId(other.id),
          on: choices.percent(25) ? "settled" : "succeeded",
        });
    }
    let sketch = this.#newSketch(id, dependsOn, undefined, place);
    sketches.push(sketch);
    for (let link = 0; link < 2 && choices.percent(20); link++) {
      const fallback = this.#newSketch(`${sketch.id}f`, [], sketch, place);
      sketch.fallback = fallback;
      sketches.push(fallback);
      sketch = fallback;
    }
  }

  #newSketch(id: string, dependsOn: DependencyDefinition[], primary: Sketch | undefined, place: Place): Sketch {
    return {
      id,
      dependsOn,
      isEnabled: !this.#choices.percent(8) && primary?.isEnabled !== false,
      primary,
      fallback: undefined,
      output: this.#output(place),
      isPrivate: this.#choices.percent(10),
    };
  }

  #output(place: Place): OutputDefinition | undefined {
    const choices = this.#choices;
    if (!choices.percent(35)) return undefined;
    return {
      ...(place.isNested ? {} : { to: choices.of(VARIABLES) }),
      ...(choices.percent(40) ? { merge: choices.of(["append", "merge", "replace"]) } : {}),
      ...(choices.percent(20) ? { select: choices.of(["@", "to_array(@)[0].value", "[@]"]) } : {}),
      ...(choices.percent(10) ? { schema: { type: choices.of(["object", "number"]) } } : {}),
    };
  }

  #step(sketch: Sketch, sketches: readonly Sketch[], place: Place): StepDefinition {
    const choices = this.#choices;
    const reads = readable(sketch, sketches, place);
    return {
      id: stepId(sketch.id),
      ...(choices.percent(20) ? { name: "twin" } : {}),
      action: this.#action(reads, place),
      ...(sketch.dependsOn.length === 0 ? {} : { dependsOn: this.#shuffled(sketch.dependsOn) }),
      ...(choices.percent(15) ? { when: this.#condition(reads) } : {}),
      ...(choices.percent(60) ? { input: this.#template(reads) } : {}),
      ...(choices.percent(5) ? { inputSchema: { type: "object" } } : {}),
      ...(sketch.output === undefined ? {} : { output: sketch.output }),
      ...(sketch.isPrivate ? { private: ["variables.a"] } : {}),
      ...(choices.percent(50) ? { retry: this.#retry() } : {}),
      ...(this.#traits.waits && choices.percent(15) ? { timeout: durationMs(50) } : {}),
      ...(choices.percent(20) ? { onError: "continue" } : {}),
      ...(sketch.fallback === undefined ? {} : { fallback: stepId(sketch.fallback.id) }),
      ...(choices.percent(25) ? { compensate: this.#compensation(sketch) } : {}),
      ...(sketch.isEnabled ? {} : { enabled: false }),
    };
  }

  #retry(): NonNullable<StepDefinition["retry"]> {
    const choices = this.#choices;
    return {
      attempts: 1 + choices.below(3),
      base: durationMs(choices.of([10, 0, 100])),
      ...(choices.percent(30) ? { jitter: "full" } : {}),
      ...(choices.percent(30) ? { on: choices.of<RetryCause[]>([["timeout"], ["transient", "timeout"], []]) } : {}),
    };
  }

  #compensation(sketch: Sketch): NonNullable<StepDefinition["compensate"]> {
    return {
      action: { kind: "run", script: "undo" },
      ...(this.#choices.percent(50) ? { input: { done: `\${ steps.${sketch.id}.output }` } } : {}),
      retry: { attempts: 1 + this.#choices.below(2), base: durationMs(5) },
    };
  }

  #condition(reads: readonly string[]): string {
    const steps = reads.filter((read) => read.startsWith("steps."));
    const id = steps.length === 0 ? undefined : this.#choices.of(steps).split(".")[1]!;
    return this.#choices.of([
      "`true`",
      "input.flag",
      "`false`",
      "abs(input.list)",
      ...(id === undefined ? [] : [`steps.${id}.status == 'succeeded'`, `steps.${id}.error == \`null\``]),
    ]);
  }

  #template(reads: readonly string[]): Json {
    const read = reads.length === 0 ? "input" : this.#choices.of(reads);
    return this.#choices.of<Json>([
      { value: `\${ ${read} }` },
      `read \${ ${read} }`,
      [`\${ ${read} }`, "$${ literal }", "${ execution.id }"],
      { all: "${ steps }" },
      "${ input.missing }",
    ]);
  }

  #action(reads: readonly string[], place: Place): ActionDefinition {
    const choices = this.#choices;
    const kind = choices.below(20);
    if (this.#traits.scopes && kind >= 17) {
      if (kind === 17) return { kind: "workflow", workflow: choices.of(["sub0", "sub1"]) };
      if (this.#depth < 2) return kind === 18 ? this.#repeat(reads, place) : this.#map(reads, place);
    }
    if (this.#traits.waits && kind >= 13 && kind < 17) return this.#wait(kind);
    return kind === 12 ? { kind: "barrier" } : { kind: "run", script: "work" };
  }

  #map(reads: readonly string[], place: Place): ActionDefinition {
    const choices = this.#choices;
    this.#depth++;
    const outer = [...place.outer, ...reads.filter((read) => read.startsWith("steps."))];
    const steps = this.#steps(`m${this.#depth}_`, 2, { ...place, inMap: true, isNested: true, outer });
    this.#depth--;
    return {
      kind: "map",
      over: choices.of(["`[1,2]`", "`[1,2,3,4]`", "input.list", "`[]`", "input.flag"]),
      steps,
      ...(choices.percent(40) ? { concurrency: choices.of([1, 2, 3]) } : {}),
      ...(choices.percent(40) ? { tolerance: choices.of<number | string>([1, "50%", 9]) } : {}),
      ...(choices.percent(40) ? { result: choices.of(steps).id } : {}),
    };
  }

  #repeat(reads: readonly string[], place: Place): ActionDefinition {
    const choices = this.#choices;
    this.#depth++;
    const outer = [...place.outer, ...reads.filter((read) => read.startsWith("steps."))];
    const steps = this.#steps(`r${this.#depth}_`, 2, { ...place, inRepeat: true, isNested: true, outer });
    this.#depth--;
    const until = ["index >= `1`", `steps.${choices.of(steps).id}.status == 'succeeded'`, "input.flag", "last"];
    return {
      kind: "repeat",
      steps,
      max: choices.of([2, 1, 3]),
      ...(choices.percent(60) ? { until: choices.of(until) } : {}),
      ...(choices.percent(20) ? { isEndedByHandler: true as const } : {}),
      ...(this.#traits.waits && choices.percent(30) ? { delay: durationMs(choices.of([30, 0])) } : {}),
      ...(choices.percent(40) ? { result: choices.of(steps).id } : {}),
    };
  }

  #wait(kind: number): ActionDefinition {
    const choices = this.#choices;
    if (kind === 13) return { kind: "wait", on: "duration", for: durationMs(choices.of([20, 0])) };
    if (kind === 14)
      return { kind: "wait", on: "time", until: choices.of<Json>([1500, "${ input.until }", "at ${ input.flag }"]) };
    if (kind === 15)
      return {
        kind: "wait",
        on: "signal",
        signal: choices.of(["go", "stop"]),
        ...(choices.percent(30) ? { timeout: durationMs(200) } : {}),
        ...(choices.percent(30) ? { schema: { type: "number" } } : {}),
      };
    return {
      kind: "approve",
      ...(choices.percent(40) ? { quorum: 2 } : {}),
      ...(choices.percent(30) ? { by: ["ann", "bob"] } : {}),
      ...(choices.percent(40) ? { expires: durationMs(300), onExpire: choices.of(["reject", "approve"]) } : {}),
      ...(choices.percent(20) ? { schema: { type: "number" } } : {}),
      ...(choices.percent(30) ? { message: "please ${ input.flag }" } : {}),
    };
  }
}

/** The data that the rules let a step read: the steps before it, and their writes (CONTRACT-11). */
function readable(sketch: Sketch, sketches: readonly Sketch[], place: Place): readonly string[] {
  const before = ancestors(sketch, sketches);
  const reads = ["input", "input.flag", "input.list[0]", "execution.workflow"];
  for (const other of before) reads.push(`steps.${other.id}.output`, `steps.${other.id}.status`);
  if (sketch.dependsOn.length === 1) reads.push("previous");
  if (place.inMap) reads.push("item");
  if (place.inRepeat) reads.push("last");
  if (place.inMap || place.inRepeat) reads.push("index");
  reads.push(...place.outer);
  if (!place.isNested)
    reads.push(...VARIABLES.filter((path) => isWrittenBefore(path, sketch, before, sketches)), "variables.fixed");
  return reads;
}

function isWrittenBefore(
  path: string,
  reader: Sketch,
  before: ReadonlySet<Sketch>,
  sketches: readonly Sketch[],
): boolean {
  return sketches.every((other) => {
    if (other.output?.to !== path || other === reader || before.has(other) || !other.isEnabled) return true;
    return isPrivate(other) || ancestors(other, sketches).has(reader);
  });
}

function isPrivate({ isPrivate: isOwn, output }: Sketch): boolean {
  return isOwn && output?.to === "variables.a";
}

/**
 * Of two steps that write one variable in no order, only the first one writes, unless both append or both merge (ruling 51).
 */
function dropRivalWrite(sketch: Sketch, sketches: readonly Sketch[]): void {
  const { output } = sketch;
  if (output?.to === undefined || isPrivate(sketch) || !sketch.isEnabled) return;
  const isRival = (other: Sketch): boolean => {
    if (other === sketch || other.output?.to !== output.to || isPrivate(other) || !other.isEnabled) return false;
    if (other.output?.merge === output.merge && output.merge !== undefined && output.merge !== "replace") return false;
    return !ancestors(sketch, sketches).has(other) && !ancestors(other, sketches).has(sketch);
  };
  const { to: _, ...rest } = output;
  if (sketches.slice(0, sketches.indexOf(sketch)).some(isRival)) sketch.output = rest;
}

function ancestors(sketch: Sketch, sketches: readonly Sketch[]): ReadonlySet<Sketch> {
  const found = new Set<Sketch>();
  const walked = new Set<Sketch>([sketch]);
  const end = (each: Sketch | undefined): void => {
    if (each === undefined || each === sketch || found.has(each)) return;
    found.add(each);
    end(each.fallback);
  };
  for (const each of walked) {
    for (const { step, on } of each.dependsOn) {
      const next = sketches.find(({ id }) => id === step)!;
      end(next);
      if (next.isEnabled && on === "succeeded") walked.add(next);
    }
    end(each.primary);
    if (each.primary?.isEnabled === true) walked.add(each.primary);
  }
  return found;
}
