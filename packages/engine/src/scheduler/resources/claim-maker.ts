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
import { Claim, Requirement, NO_REQUIREMENT, SLOT_ONLY } from "./claim.ts";
import { Capacity, Quota, type ResourceRole, type ResourceAmount } from "./resource.ts";

export interface ClaimOptions {
  /** Attempts of a named agent at once, where its definition says nothing. */
  readonly perAgent: number;
  /** Of every agent whose workflow says nothing; `false` is none (FAIL-6). */
  readonly breaker?: BreakerDefinition | false;
  /** Named resources, over what workflows say of them (SCHED-4). */
  readonly resources?: Readonly<Record<string, ResourceDefinition>>;
}

/** FAIL-6. */
const BREAKER_DEFAULT: Required<BreakerDefinition> = Object.freeze({ failures: 5, cooldown: durationMs(30_000) });

interface RequirementParts {
  readonly amounts: readonly ResourceAmount[];
  readonly breaker: Breaker | undefined;
}

export class ClaimMaker {
  readonly #options: ClaimOptions;
  readonly #capacities = new Map<string, Capacity>();
  readonly #quotas = new Map<string, Quota>();
  readonly #breakers = new Map<string, Breaker>();
  readonly #requirements = new Map<string, Requirement>();
  readonly #claims = new Map([[NO_REQUIREMENT, new Map([[SLOT_ONLY.priority, SLOT_ONLY]])]]);
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
    for (const { meter } of this.#capacities.values()) held += meter.usedAt(0) - meter.leaked;
    return held;
  }

  /** What a step of a definition needs; the maps are those that it is part of an item of, the innermost first. */
  makeClaim(definition: Definition, step: StepDefinition, maps: readonly StepDefinition[] = []): Claim {
    const priority = [step, ...maps].find((each) => each.priority !== undefined)?.priority ?? SLOT_ONLY.priority;
    if (needsOnlySlot(step, maps)) return this.#claim(NO_REQUIREMENT, priority);
    return this.#claim(this.#makeRequirement(definition, step, maps), priority);
  }

  /** What makes a definition impossible to run here: a step that asks for what there is not, or for more than there is. */
  findProblem(definition: Definition): string | undefined {
    let problem = this.#problems.get(definition);
    if (problem === undefined) this.#problems.set(definition, (problem = this.#findProblem(definition) ?? null));
    return problem ?? undefined;
  }

  #findProblem(definition: Definition): string | undefined {
    for (const step of allSteps(definition.steps)) {
      const problem = this.#findStepProblem(definition, step);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  #findStepProblem(definition: Definition, { id, resources = {} }: StepDefinition): string | undefined {
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

  #claim(requirement: Requirement, priority: number): Claim {
    let claims = this.#claims.get(requirement);
    if (claims === undefined) this.#claims.set(requirement, (claims = new Map()));
    let claim = claims.get(priority);
    if (claim === undefined) claims.set(priority, (claim = new Claim(priority, requirement)));
    return claim;
  }

  #makeRequirement(definition: Definition, step: StepDefinition, maps: readonly StepDefinition[]): Requirement {
    const agent = this.#agentRequirement(definition, step);
    const outermostFirst = [...maps.toReversed(), step];
    const limits = outermostFirst.flatMap((each, depth) => this.#stepAmounts(definition, outermostFirst, each, depth));
    const amounts = Object.entries(claimedResources(step, maps)).flatMap(([name, amount]) =>
      this.#amounts(definition, name, amount),
    );
    return this.#requirement({ amounts: [...agent.amounts, ...limits, ...amounts], breaker: agent.breaker });
  }

  /** Ids are unique in their own list of steps only, so a limit has the names of the maps around its step as well. */
  #stepAmounts(
    { name }: Definition,
    path: readonly StepDefinition[],
    { limits }: StepDefinition,
    depth: number,
  ): readonly ResourceAmount[] {
    const ids = path.slice(0, depth + 1).map(({ id }) => id);
    return this.#limitAmounts("step", [name, ...ids].join("/"), limits);
  }

  #requirement({ amounts, breaker }: RequirementParts): Requirement {
    if (amounts.length === 0 && breaker === undefined) return NO_REQUIREMENT;
    const sorted = amounts
      .map((amount) => ({ take: amount, key: amountKey(amount) }))
      .toSorted((a, b) => (a.key < b.key ? -1 : 1));
    const key = JSON.stringify([breaker?.name ?? null, ...sorted.map((each) => each.key)]);
    let requirement = this.#requirements.get(key);
    if (requirement === undefined)
      this.#requirements.set(
        key,
        (requirement = new Requirement(
          sorted.map(({ take: amount }) => amount),
          breaker,
        )),
      );
    return requirement;
  }

  #agentRequirement({ agents = {} }: Definition, { action }: StepDefinition): RequirementParts {
    if (action.kind !== "agent" || !isNamed(action.agent)) return { amounts: [], breaker: undefined };
    const name = action.agent;
    const agent: AgentDefinition = Object.hasOwn(agents, name) ? agents[name]! : {};
    const limits = { concurrency: this.#options.perAgent, ...agent.limits };
    return { amounts: this.#limitAmounts("agent", name, limits), breaker: this.#breaker(name, agent.breaker) };
  }

  #breaker(agent: string, own: BreakerDefinition | undefined): Breaker | undefined {
    const { breaker: given } = this.#options;
    if (given === false && own === undefined) return undefined;
    const { failures, cooldown } = { ...BREAKER_DEFAULT, ...given, ...own };
    const name = JSON.stringify([agent, failures, cooldown]);
    return getOrMake(this.#breakers, name, () => new Breaker(name, agent, failures, cooldown));
  }

  #limitAmounts(role: ResourceRole, name: string, limits: LimitsDefinition | undefined): readonly ResourceAmount[] {
    const { concurrency, rate } = limits ?? {};
    return [
      ...(concurrency === undefined ? [] : [this.#capacity(role, name).toAmount(1, concurrency)]),
      ...(rate === undefined ? [] : [this.#quota(role, name).toAmount(1, rate.rate, rate.per)]),
    ];
  }

  #amounts(definition: Definition, name: string, amount: number): readonly ResourceAmount[] {
    const resource = this.#resource(definition, name);
    if (resource === undefined || amount === 0) return [];
    return resource.kind === "capacity"
      ? [this.#capacity("resource", name).toAmount(amount, resource.capacity, resource.onAbandon === "release")]
      : [this.#quota("resource", name).toAmount(amount, resource.rate, resource.per)];
  }

  #capacity(role: ResourceRole, name: string): Capacity {
    return getOrMake(this.#capacities, `${role}:${name}`, () => new Capacity(name, role));
  }

  #quota(role: ResourceRole, name: string): Quota {
    return getOrMake(this.#quotas, `${role}:${name}`, () => new Quota(name, role));
  }
}

/** What a step takes of resources, by their names (M3). */
export function claimedResources(
  step: StepDefinition,
  maps: readonly StepDefinition[],
): Readonly<Record<string, number>> {
  return Object.assign({}, ...[...maps.toReversed(), step].map(({ resources }) => resources)) as Record<string, number>;
}

function needsOnlySlot(step: StepDefinition, maps: readonly StepDefinition[]): boolean {
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

function amountKey({ resource, amount, bound, meter, isReleased }: ResourceAmount): string {
  const perMs = resource.kind === "quota" ? resource.meters.find((window) => window === meter)!.perMs : 0;
  return JSON.stringify([resource.kind, resource.role, resource.name, amount, bound, perMs, isReleased]);
}

function getOrMake<Made>(all: Map<string, Made>, name: string, make: () => Made): Made {
  let found = all.get(name);
  if (found === undefined) all.set(name, (found = make()));
  return found;
}
