// Random workflows: small, valid by construction, with every feature that this engine can run.

import {
  compileDefinition,
  durationMs,
  stepId,
  type ActionDefinition,
  type ContentHash,
  type Definition,
  type DependencyDefinition,
  type Json,
  type Program,
  type StepDefinition,
} from "@segno/kernel";
import { canonicalHash, definitionText } from "../../src/checks/definition-text.ts";
import { Random } from "../../src/testing/random.ts";
import { withTurns } from "./turns.ts";

export const AGENTS = ["worker0", "worker1", "worker2"] as const;
/** An agent that is never registered: a step that needs it parks its execution. */
export const UNKNOWN_AGENT = "nobody";
/** The capacity of the room resource. */
export const ROOM = 2;
const RESOURCES: NonNullable<Definition["resources"]> = {
  room: { kind: "capacity", capacity: ROOM },
  calls: { kind: "quota", rate: 3, per: durationMs(300) },
};
/** The holdings of a step, by the last character of its id. */
const HELD: Readonly<Record<string, Partial<StepDefinition>>> = {
  "2": { resources: { room: 1 } },
  "3": { resources: { calls: 1 } },
  "4": { priority: 3 },
  "5": { resources: { room: 2, calls: 1 }, priority: -3 },
};
/** A step that never settles would hold the room for ever. */
export const ROOMY: RegExp = /[25]$/u;
export const SIGNALS = ["go", "stop"] as const;

/** Sub-workflows have a second version, which a later process may bring. */
export interface Workflows {
  readonly main: readonly Definition[];
  readonly sub: readonly (readonly Definition[])[];
  readonly programs: ReadonlyMap<ContentHash, Program>;
}

export function makeWorkflows(chance: Random, seed: number): Workflows {
  const withBarriers = barrierMaker(seed);
  const turned = turnMaker(seed);
  const repeated = repeatMaker(seed);
  const finished = (definition: Definition): Definition => repeated(turned(withWayOut(withBarriers(definition))));
  const main = Array.from({ length: 1 + chance.below(3) }, (_, index) =>
    finished(new Maker(chance, 0).definition(`flow${index}`)),
  );
  const sub = [0, 1].map((version) =>
    ["sub0", "sub1"].map((name) => finished(new Maker(chance, 1).definition(name, version))),
  );
  const programs = new Map<ContentHash, Program>();
  for (const definition of [...main, ...sub.flat()]) {
    const compiled = compileDefinition(definition);
    if (compiled.kind === "problems")
      throw new Error(`the generator made an invalid definition: ${JSON.stringify(compiled.problems[0])}`);
    programs.set(canonicalHash(definitionText(definition)), compiled.program);
  }
  return { main, sub, programs };
}

/** A workflow may call itself only conditionally: such a step gets a condition that holds up to some depth. */
function withWayOut(definition: Definition): Definition {
  const changed = (step: StepDefinition): StepDefinition => {
    const { action, when } = step;
    const isOwn = action.kind === "workflow" && action.workflow.split("@")[0] === definition.name;
    return isOwn && when === undefined ? { ...step, when: "`true`" } : step;
  };
  return { ...definition, steps: definition.steps.map(changed) };
}

/**
 * Turns some agent steps into barriers. It uses its own random generator, and only seeds that end in 1 or 3, so that
 * all other seeds keep their meaning, including those in `regressions.ts`.
 */
function barrierMaker(seed: number): (definition: Definition) => Definition {
  if (![1, 3].includes(seed % 10)) return (same) => same;
  const chance = new Random(seed ^ 0xba221e2);
  const changed = (step: StepDefinition): StepDefinition => {
    const { action } = step;
    if (action.kind === "map") return { ...step, action: { ...action, steps: action.steps.map(changed) } };
    return action.kind === "agent" && chance.percent(30) ? { ...step, action: { kind: "barrier" } } : step;
  };
  return (definition) => ({ ...definition, steps: definition.steps.map(changed) });
}

/** Uses its own random generator and only some seeds, so that all others keep their meaning. */
function turnMaker(seed: number): (definition: Definition) => Definition {
  if (![6, 7, 11, 21].includes(seed % 23)) return (same) => same;
  const chance = new Random(seed ^ 0x7e125);
  return (definition) => withTurns(definition, chance);
}

/** Turns some agent steps into repetitions (STATE-13), for some seeds, like `turnMaker`. */
function repeatMaker(seed: number): (definition: Definition) => Definition {
  if (![2, 9, 17, 26].includes(seed % 31)) return (same) => same;
  const chance = new Random(seed ^ 0x2e9ea7);
  const changed = (step: StepDefinition): StepDefinition => {
    const { action, retry, compensate, resources: _, ...rest } = step;
    if (action.kind === "map") return { ...step, action: { ...action, steps: action.steps.map(changed) } };
    if (action.kind !== "agent" || !chance.percent(40)) return step;
    const child: StepDefinition = {
      id: stepId("r0"),
      action,
      ...(retry === undefined ? {} : { retry }),
      ...(compensate === undefined ? {} : { compensate }),
      ...(chance.percent(30) ? { input: { last: "${ last }", index: "${ index }" } } : {}),
    };
    return { ...rest, action: repetition(chance, child) };
  };
  return (definition) => ({ ...definition, steps: definition.steps.map(changed) });
}

function repetition(chance: Random, child: StepDefinition): ActionDefinition {
  const second: StepDefinition = {
    id: stepId("r1"),
    action: { kind: "agent", agent: chance.pick(AGENTS) },
    dependsOn: [{ step: child.id, on: "settled" }],
  };
  return {
    kind: "repeat",
    steps: chance.percent(30) ? [child, second] : [child],
    max: chance.between(1, 4),
    ...(chance.percent(50) ? { until: chance.pick(["index >= `1`", "steps.r0.status == 'succeeded'", "last"]) } : {}),
    ...(chance.percent(30) ? { delay: durationMs(chance.pick([20, 300])) } : {}),
  };
}

interface Sketch {
  readonly id: string;
  readonly dependsOn: readonly DependencyDefinition[];
  readonly isFallback: boolean;
  readonly isEnabled: boolean;
  fallback?: string;
}

class Maker {
  readonly #chance: Random;
  readonly #depth: number;

  constructor(chance: Random, depth: number) {
    this.#chance = chance;
    this.#depth = depth;
  }

  definition(name: string, version = 0): Definition {
    const chance = this.#chance;
    const isOddOutput = chance.percent(10);
    return {
      name,
      version: String(version),
      resources: RESOURCES,
      steps:
        this.#depth === 0 && chance.percent(2)
          ? [this.#oddScope()]
          : this.#steps("s", this.#depth === 0 ? chance.pick([1, 3, 5, 8, 12]) : 3),
      onFailure: chance.pick(["abort", "abort", "finish", "compensate", "compensate"]),
      ...(chance.percent(20) ? { input: { type: "object", required: ["n"] } } : {}),
      ...(isOddOutput ? { strict: true, output: { gone: "${ input.missing }" } } : {}),
      ...(chance.percent(15) ? { timeout: durationMs(chance.pick([50, 800, 6000])) } : {}),
      ...(chance.percent(40) ? { grace: durationMs(chance.pick([0, 30, 400])) } : {}),
      ...(chance.percent(25) ? { concurrency: chance.between(1, 2) } : {}),
    };
  }

  #steps(prefix: string, most: number): StepDefinition[] {
    const chance = this.#chance;
    const sketches: Sketch[] = [];
    const count = chance.percent(15) ? 1 : 1 + chance.below(most);
    for (let index = 0; index < count; index++) this.#sketch(sketches, `${prefix}${index}`);
    return sketches.map((sketch) => this.#step(sketch));
  }

  /** A scope in which one child has no agent, and another may fail: then the scope ends while it is parked. */
  #oddScope(): StepDefinition {
    const child = (id: string, agent: string): StepDefinition => ({
      id: stepId(id),
      action: { kind: "agent", agent },
      retry: { attempts: 1 },
    });
    const steps = [child("m0", this.#chance.pick(AGENTS)), child("m1", UNKNOWN_AGENT)];
    return { id: stepId("s0"), action: { kind: "map", over: "`[1]`", steps }, onError: "continue" };
  }

  #sketch(sketches: Sketch[], id: string): void {
    const chance = this.#chance;
    const dependsOn = sketches
      .filter(({ isFallback }) => !isFallback && chance.percent(35))
      .map((other) => ({
        step: stepId(other.id),
        on: chance.percent(25) ? ("settled" as const) : ("succeeded" as const),
      }));
    const sketch: Sketch = { id, dependsOn, isFallback: false, isEnabled: !chance.percent(6) };
    sketches.push(sketch);
    if (!chance.percent(15)) return;
    sketch.fallback = `${id}f`;
    sketches.push({ id: `${id}f`, dependsOn: [], isFallback: true, isEnabled: sketch.isEnabled });
  }

  #step({ id, dependsOn, fallback, isEnabled }: Sketch): StepDefinition {
    const chance = this.#chance;
    const action = this.#action();
    const isScope = action.kind === "map" || action.kind === "workflow";
    return {
      id: stepId(id),
      action,
      ...(dependsOn.length === 0 ? {} : { dependsOn }),
      ...(chance.percent(10) ? { when: this.#condition(dependsOn) } : {}),
      ...(chance.percent(50) ? { input: this.#input(dependsOn) } : {}),
      ...(chance.percent(3) ? { inputSchema: { type: "number" } } : {}),
      ...(chance.percent(60) ? { retry: this.#retry() } : {}),
      ...(chance.percent(40) ? { timeout: durationMs(chance.pick([20, 200, 900])) } : {}),
      ...(chance.percent(isScope ? 60 : 20) ? { onError: "continue" as const } : {}),
      ...(fallback === undefined ? {} : { fallback: stepId(fallback) }),
      ...(chance.percent(25) ? { compensate: this.#compensation() } : {}),
      ...(isEnabled ? {} : { enabled: false }),
      ...(action.kind === "agent" ? HELD[id.at(-1)!] : {}),
    };
  }

  #retry(): NonNullable<StepDefinition["retry"]> {
    const chance = this.#chance;
    return {
      attempts: chance.between(1, 4),
      base: durationMs(chance.pick([0, 10, 200, 1500])),
      ...(chance.percent(30) ? { jitter: "full" as const } : {}),
      ...(chance.percent(80) ? { on: ["transient", "timeout"] as const } : {}),
    };
  }

  #compensation(): NonNullable<StepDefinition["compensate"]> {
    const chance = this.#chance;
    return {
      action: { kind: "agent", agent: chance.percent(15) ? UNKNOWN_AGENT : chance.pick(AGENTS) },
      retry: { attempts: chance.between(1, 2), base: durationMs(20) },
      ...(chance.percent(30) ? { timeout: durationMs(100) } : {}),
    };
  }

  #condition(dependsOn: readonly DependencyDefinition[]): string {
    const first = dependsOn[0];
    return this.#chance.pick([
      "`true`",
      "`false`",
      "abs(input)",
      ...(first === undefined ? [] : [`steps.${first.step}.status == 'succeeded'`]),
    ]);
  }

  #input(dependsOn: readonly DependencyDefinition[]): Json {
    const chance = this.#chance;
    const reads = dependsOn.map(({ step }) => `\${ steps.${step}.output }`);
    return chance.pick<Json>(["${ input }", { n: 1 }, 5, ...reads.map((read): Json => ({ read })), ...reads]);
  }

  #action(): ActionDefinition {
    const chance = this.#chance;
    const kind = chance.below(100);
    if (kind < 5) return { kind: "wait", on: "duration", for: durationMs(chance.pick([0, 40, 700])) };
    if (kind < 6) return { kind: "wait", on: "time", until: chance.pick<Json>([0, "2025-11-13T02:13:21Z", "soon"]) };
    if (kind < 12) return this.#signalWait();
    if (kind < 15) return this.#approval();
    if (kind < 22 && this.#depth < 2) return this.#map();
    if (kind < 28 && this.#depth < 2)
      return { kind: "workflow", workflow: chance.pick(["sub0", "sub1", "sub1", "nowhere"]) };
    if (kind < (this.#depth === 0 ? 30 : 36)) return { kind: "agent", agent: UNKNOWN_AGENT };
    return { kind: "agent", agent: chance.pick(AGENTS) };
  }

  #signalWait(): ActionDefinition {
    const chance = this.#chance;
    return {
      kind: "wait",
      on: "signal",
      signal: chance.pick(SIGNALS),
      ...(chance.percent(40) ? { timeout: durationMs(chance.pick([100, 2000])) } : {}),
      ...(chance.percent(20) ? { schema: { type: "number" } } : {}),
    };
  }

  #approval(): ActionDefinition {
    const chance = this.#chance;
    return {
      kind: "approve",
      expires: durationMs(chance.pick([300, 3000])),
      onExpire: chance.pick(["reject", "approve"]),
      ...(chance.percent(50) ? { by: ["ann", "bob"] } : {}),
      ...(chance.percent(50) ? { quorum: 2 } : {}),
    };
  }

  #map(): ActionDefinition {
    const chance = this.#chance;
    return {
      kind: "map",
      over: chance.pick(["`[1,2,3]`", "`[1]`", "`[]`", "execution.startedAt"]),
      steps: new Maker(chance, this.#depth + 1).#steps("m", 2),
      ...(chance.percent(40) ? { tolerance: chance.pick<number | string>([1, "50%"]) } : {}),
      ...(chance.percent(30) ? { concurrency: chance.pick([1, 2]) } : {}),
    };
  }
}
