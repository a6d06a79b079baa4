// Makes claims from definitions: which limits, resources and breakers a step has to heed (SCHED-1, SCHED-4, FAIL-6).
//
//   M1. Steps with the same need get the same need, and with the same priority the same claim, whichever definition they are
//       from. So they wait in one queue, and an ordinary step costs nothing.
//   M2. What the engine says of a resource holds; what a workflow says of it holds where the engine says nothing.
//   M3. What a map says of limits, resources and priority is said of every step of its items; what such a step says itself of a
//       resource or of its priority holds. Limits of both hold.

import {
  durationMs,
  type AgentDefinition,
  type BreakerDefinition,
  type Definition,
  type LimitsDefinition,
  type ResourceDefinition,
  type StepDefinition,
} from "@segno/kernel";
import { Breaker } from "./breaker.ts";
import { Claim, Need, NO_NEED, PLAIN_CLAIM } from "./claim.ts";
import { Capacity, Quota, type ResourceRole, type Take } from "./resource.ts";

export interface ClaimOptions {
  /** Attempts of a named agent at once, where its definition says nothing. */
  readonly perAgent: number;
  /** When an agent is left alone, where its definition says nothing; never with `false`. */
  readonly breaker?: BreakerDefinition | false;
  /** Resources as they are for all workflows. */
  readonly resources?: Readonly<Record<string, ResourceDefinition>>;
}

/** FAIL-6. */
const BREAKER_DEFAULT: Required<BreakerDefinition> = Object.freeze({ failures: 5, cooldown: durationMs(30_000) });

interface Shape {
  readonly takes: readonly Take[];
  readonly breaker: Breaker | undefined;
}

export class ClaimMaker {
  readonly #options: ClaimOptions;
  readonly #capacities = new Map<string, Capacity>();
  readonly #quotas = new Map<string, Quota>();
  readonly #breakers = new Map<string, Breaker>();
  readonly #needs = new Map<string, Need>();
  readonly #claims = new Map([[NO_NEED, new Map([[PLAIN_CLAIM.priority, PLAIN_CLAIM]])]]);
  readonly #problems = new WeakMap<Definition, string | null>();

  constructor(options: ClaimOptions) {
    this.#options = options;
  }

  /** Whether anything that was asked for so far has a breaker. */
  get hasBreakers(): boolean {
    return this.#breakers.size > 0;
  }

  /** How much of all capacities is held, without what attempts hold that were given up and still run. */
  get held(): number {
    let held = 0;
    for (const { meter } of this.#capacities.values()) held += meter.usedAt(0) - meter.stuck;
    return held;
  }

  /** What a step of a definition needs; the maps are those that it is part of an item of, the innermost first. */
  claimOf(definition: Definition, step: StepDefinition, maps: readonly StepDefinition[] = []): Claim {
    const priority = [step, ...maps].find((each) => each.priority !== undefined)?.priority ?? PLAIN_CLAIM.priority;
    if (needsOnlyASlot(step, maps)) return this.#claim(NO_NEED, priority);
    return this.#claim(this.#needOf(definition, step, maps), priority);
  }

  /** What makes a definition impossible to run here: a step that asks for what there is not, or for more than there is. */
  problemOf(definition: Definition): string | undefined {
    let problem = this.#problems.get(definition);
    if (problem === undefined) this.#problems.set(definition, (problem = this.#findProblem(definition) ?? null));
    return problem ?? undefined;
  }

  #findProblem(definition: Definition): string | undefined {
    for (const step of allSteps(definition.steps)) {
      const problem = this.#problemOf(definition, step);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  #problemOf(definition: Definition, { id, resources = {} }: StepDefinition): string | undefined {
    for (const [name, amount] of Object.entries(resources)) {
      const resource = this.#resource(definition, name);
      if (resource === undefined)
        return `the step \`${id}\` asks for the resource \`${name}\`, which neither the workflow nor the engine has`;
      const most = resource.kind === "capacity" ? resource.capacity : resource.rate;
      if (amount > most)
        return `the step \`${id}\` asks for ${amount} of \`${name}\`, of which there are ${most}: it would wait for ever`;
    }
    return undefined;
  }

  #resource({ resources = {} }: Definition, name: string): ResourceDefinition | undefined {
    const given = this.#options.resources ?? {};
    if (Object.hasOwn(given, name)) return given[name];
    return Object.hasOwn(resources, name) ? resources[name] : undefined;
  }

  #claim(need: Need, priority: number): Claim {
    let claims = this.#claims.get(need);
    if (claims === undefined) this.#claims.set(need, (claims = new Map()));
    let claim = claims.get(priority);
    if (claim === undefined) claims.set(priority, (claim = new Claim(priority, need)));
    return claim;
  }

  #needOf(definition: Definition, step: StepDefinition, maps: readonly StepDefinition[]): Need {
    const agent = this.#agentShape(definition, step);
    const outermostFirst = [...maps.toReversed(), step];
    const limits = outermostFirst.flatMap((each, depth) => this.#stepTakes(definition, outermostFirst, each, depth));
    const takes = Object.entries(claimedResources(step, maps)).flatMap(([name, amount]) =>
      this.#takes(definition, name, amount),
    );
    return this.#need({ takes: [...agent.takes, ...limits, ...takes], breaker: agent.breaker });
  }

  /** Ids are unique in their own list of steps only, so a limit has the names of the maps around its step as well. */
  #stepTakes(
    { name }: Definition,
    path: readonly StepDefinition[],
    { limits }: StepDefinition,
    depth: number,
  ): readonly Take[] {
    const ids = path.slice(0, depth + 1).map(({ id }) => id);
    return this.#limitTakes("step", [name, ...ids].join("/"), limits);
  }

  #need({ takes, breaker }: Shape): Need {
    if (takes.length === 0 && breaker === undefined) return NO_NEED;
    const sorted = takes.map((take) => ({ take, key: keyOf(take) })).toSorted((a, b) => (a.key < b.key ? -1 : 1));
    const key = JSON.stringify([breaker?.name ?? null, ...sorted.map((each) => each.key)]);
    let need = this.#needs.get(key);
    if (need === undefined)
      this.#needs.set(
        key,
        (need = new Need(
          sorted.map(({ take }) => take),
          breaker,
        )),
      );
    return need;
  }

  #agentShape({ agents = {} }: Definition, { action }: StepDefinition): Shape {
    if (action.kind !== "agent" || !isNamed(action.agent)) return { takes: [], breaker: undefined };
    const name = action.agent;
    const agent: AgentDefinition = Object.hasOwn(agents, name) ? agents[name]! : {};
    const limits = { concurrency: this.#options.perAgent, ...agent.limits };
    return { takes: this.#limitTakes("agent", name, limits), breaker: this.#breakerOf(name, agent.breaker) };
  }

  #breakerOf(agent: string, own: BreakerDefinition | undefined): Breaker | undefined {
    const { breaker: given } = this.#options;
    if (given === false && own === undefined) return undefined;
    const { failures, cooldown } = { ...BREAKER_DEFAULT, ...given, ...own };
    const name = JSON.stringify([agent, failures, cooldown]);
    return made(this.#breakers, name, () => new Breaker(name, agent, failures, cooldown));
  }

  #limitTakes(role: ResourceRole, name: string, limits: LimitsDefinition | undefined): readonly Take[] {
    const { concurrency, rate } = limits ?? {};
    return [
      ...(concurrency === undefined ? [] : [this.#capacity(role, name).take(1, concurrency)]),
      ...(rate === undefined ? [] : [this.#quota(role, name).take(1, rate.rate, rate.per)]),
    ];
  }

  #takes(definition: Definition, name: string, amount: number): readonly Take[] {
    const resource = this.#resource(definition, name);
    if (resource === undefined || amount === 0) return [];
    return resource.kind === "capacity"
      ? [this.#capacity("resource", name).take(amount, resource.capacity, resource.onAbandon === "release")]
      : [this.#quota("resource", name).take(amount, resource.rate, resource.per)];
  }

  #capacity(role: ResourceRole, name: string): Capacity {
    return made(this.#capacities, `${role}:${name}`, () => new Capacity(name, role));
  }

  #quota(role: ResourceRole, name: string): Quota {
    return made(this.#quotas, `${role}:${name}`, () => new Quota(name, role));
  }
}

/** What a step takes of resources, by their names (M3). */
export function claimedResources(
  step: StepDefinition,
  maps: readonly StepDefinition[],
): Readonly<Record<string, number>> {
  return Object.assign({}, ...[...maps.toReversed(), step].map(({ resources }) => resources)) as Record<string, number>;
}

function needsOnlyASlot(step: StepDefinition, maps: readonly StepDefinition[]): boolean {
  const { action } = step;
  if ([step, ...maps].some(({ limits, resources }) => limits !== undefined || resources !== undefined)) return false;
  return action.kind !== "agent" || !isNamed(action.agent);
}

/** A function of a built workflow has no name of its own, only the place where it stands. */
function isNamed(agent: string): boolean {
  return !agent.includes("/");
}

/** Those that may run, also inside maps. */
function allSteps(steps: readonly StepDefinition[]): readonly StepDefinition[] {
  return steps
    .filter(({ enabled }) => enabled !== false)
    .flatMap((step) => (step.action.kind === "map" ? [step, ...allSteps(step.action.steps)] : [step]));
}

function keyOf({ resource, amount, bound, meter, isReleased }: Take): string {
  const perMs = resource.kind === "quota" ? resource.meters.find((window) => window === meter)!.perMs : 0;
  return JSON.stringify([resource.kind, resource.role, resource.name, amount, bound, perMs, isReleased]);
}

function made<Made>(all: Map<string, Made>, name: string, make: () => Made): Made {
  let found = all.get(name);
  if (found === undefined) all.set(name, (found = make()));
  return found;
}
