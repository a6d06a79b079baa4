// Makes claims from definitions: the limits, resources and breaker that apply to a step (SCHED-1, SCHED-4, FAIL-6).
//
//   M1. Equal requirements are one object, and so are claims with the same requirement and priority, whichever
//       definition they come from. So such steps wait in one queue, and an ordinary step costs no memory.
//       Claims belong to programs, waiting steps and attempts, and are forgotten with the last of them. Capacities and
//       requirements are forgotten with their claims: a resource that only one execution names takes no memory after it. A
//       quota and a breaker remember the past, so they are kept.
//   M2. The engine's declaration of a resource wins over the workflow's.
//   M3. Limits, resources and priority of a map apply to every step of its items. The step's own resources and priority
//       win over the map's; both limits apply.

import {
  durationMs,
  stepsInside,
  type AgentDefinition,
  type BreakerDefinition,
  type Definition,
  type LimitsDefinition,
  type ResourceDefinition,
  type StepDefinition,
} from "@segno/kernel";
import { Breaker } from "./breaker.ts";
import { Claim, Requirement, NO_REQUIREMENT, SLOT_ONLY } from "./claim.ts";
import { Capacity, Quota, type ResourceRole, type ResourceDemand } from "./resource.ts";
import { WeakValues } from "./weak-values.ts";

/** Limits and resources that apply if definitions do not set them. */
export interface ClaimOptions {
  /** Concurrent attempts of a named agent whose definition sets no limit. */
  readonly perAgent: number;
  /** Breaker settings for agents whose definition has none; `false` turns the breaker off (FAIL-6). */
  readonly breaker?: BreakerDefinition | false;
  /** Resources that the engine declares for all workflows; they win over what a workflow declares (SCHED-4). */
  readonly resources?: Readonly<Record<string, ResourceDefinition>>;
}

/** Defaults of FAIL-6. */
const BREAKER_DEFAULT: Required<BreakerDefinition> = Object.freeze({ failures: 5, cooldown: durationMs(30_000) });

/** The amount of a resource that is in use. */
export interface ResourceUsage {
  readonly role: ResourceRole;
  readonly name: string;
  readonly used: number;
}

interface RequirementParts {
  readonly demands: readonly ResourceDemand[];
  readonly breaker: Breaker | undefined;
}

export class ClaimMaker {
  readonly #options: ClaimOptions;
  readonly #capacities = new WeakValues<Capacity>();
  readonly #quotas = new Map<string, Quota>();
  readonly #breakers = new Map<string, Breaker>();
  readonly #requirements = new WeakValues<Requirement>();
  readonly #claims = new WeakMap([[NO_REQUIREMENT, new Map([[SLOT_ONLY.priority, SLOT_ONLY]])]]);
  readonly #problems = new WeakMap<Definition, string | null>();

  constructor(options: ClaimOptions) {
    this.#options = options;
  }

  /** Whether any claim made so far has a breaker. */
  get hasBreakers(): boolean {
    return this.#breakers.size > 0;
  }

  /** Total of all capacities in use, without the amounts that lingering attempts hold. */
  get capacityInUse(): number {
    let total = 0;
    for (const { meter } of this.#capacities.values()) total += meter.usedAt(0) - meter.heldByLingering;
    return total;
  }

  /** The usage of every capacity and quota. Of a quota with several windows, that of the longest. */
  usage(nowMs: number): readonly ResourceUsage[] {
    return [...this.#capacities.values(), ...this.#quotas.values()].map(({ role, name, meters }) => ({
      role,
      name,
      used: meters.reduce((most, meter) => Math.max(most, meter.usedAt(nowMs)), 0),
    }));
  }

  /** The claim of a step. `maps` are the maps whose items contain the step, the innermost first. */
  makeClaim(definition: Definition, step: StepDefinition, maps: readonly StepDefinition[] = []): Claim {
    const priority = [step, ...maps].find((each) => each.priority !== undefined)?.priority ?? SLOT_ONLY.priority;
    if (needsOnlySlot(step, maps)) return this.#claim(NO_REQUIREMENT, priority);
    return this.#claim(this.#makeRequirement(definition, step, maps), priority);
  }

  /** Why a definition can never run on this engine: a step requires an unknown resource, or more of it than exists. */
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
        return `the step \`${id}\` requires the resource \`${name}\`, which neither the workflow nor the engine declares`;
      const max = resource.kind === "capacity" ? resource.capacity : resource.rate;
      if (amount > max)
        return `the step \`${id}\` requires ${amount} of \`${name}\`, but the limit is ${max}: it would wait forever`;
    }
    return undefined;
  }

  #resource({ resources = {} }: Definition, name: string): ResourceDefinition | undefined {
    const declared = this.#options.resources ?? {};
    if (Object.hasOwn(declared, name)) return declared[name];
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
    const limits = outermostFirst.flatMap((each, depth) => this.#stepDemands(definition, outermostFirst, each, depth));
    const amounts = Object.entries(claimedResources(step, maps)).flatMap(([name, amount]) =>
      this.#demands(definition, name, amount),
    );
    return this.#requirement({ demands: [...agent.demands, ...limits, ...amounts], breaker: agent.breaker });
  }

  /** Step ids are unique only within their list, so the name of a limit includes the enclosing maps. */
  #stepDemands(
    { name }: Definition,
    path: readonly StepDefinition[],
    { limits }: StepDefinition,
    depth: number,
  ): readonly ResourceDemand[] {
    const ids = path.slice(0, depth + 1).map(({ id }) => id);
    return this.#limitDemands("step", [name, ...ids].join("/"), limits);
  }

  #requirement({ demands, breaker }: RequirementParts): Requirement {
    if (demands.length === 0 && breaker === undefined) return NO_REQUIREMENT;
    const sorted = demands
      .map((demand) => ({ demand, key: demandKey(demand) }))
      .toSorted((a, b) => (a.key < b.key ? -1 : 1));
    const key = JSON.stringify([breaker?.name ?? null, ...sorted.map((each) => each.key)]);
    return this.#requirements.getOrCreate(key, () => {
      const demandsInOrder = sorted.map(({ demand }) => demand);
      return new Requirement(demandsInOrder, breaker);
    });
  }

  #agentRequirement({ agents = {} }: Definition, { action }: StepDefinition): RequirementParts {
    if (action.kind !== "agent" || !isNamed(action.agent)) return { demands: [], breaker: undefined };
    const name = action.agent;
    const agent: AgentDefinition = Object.hasOwn(agents, name) ? agents[name]! : {};
    const limits = { concurrency: this.#options.perAgent, ...agent.limits };
    return { demands: this.#limitDemands("agent", name, limits), breaker: this.#breaker(name, agent.breaker) };
  }

  #breaker(agent: string, own: BreakerDefinition | undefined): Breaker | undefined {
    const { breaker: defaults } = this.#options;
    if (defaults === false && own === undefined) return undefined;
    const { failures, cooldown } = { ...BREAKER_DEFAULT, ...defaults, ...own };
    const name = JSON.stringify([agent, failures, cooldown]);
    return getOrCreate(this.#breakers, name, () => new Breaker(name, agent, failures, cooldown));
  }

  #limitDemands(role: ResourceRole, name: string, limits: LimitsDefinition | undefined): readonly ResourceDemand[] {
    const { concurrency, rate } = limits ?? {};
    return [
      ...(concurrency === undefined ? [] : [this.#capacity(role, name).toDemand(1, concurrency)]),
      ...(rate === undefined ? [] : [this.#quota(role, name).toDemand(1, rate.rate, rate.per)]),
    ];
  }

  #demands(definition: Definition, name: string, amount: number): readonly ResourceDemand[] {
    const resource = this.#resource(definition, name);
    if (resource === undefined || amount === 0) return [];
    return resource.kind === "capacity"
      ? [this.#capacity("declared", name).toDemand(amount, resource.capacity, resource.onAbandon === "release")]
      : [this.#quota("declared", name).toDemand(amount, resource.rate, resource.per)];
  }

  #capacity(role: ResourceRole, name: string): Capacity {
    return this.#capacities.getOrCreate(`${role}:${name}`, () => new Capacity(name, role));
  }

  #quota(role: ResourceRole, name: string): Quota {
    return getOrCreate(this.#quotas, `${role}:${name}`, () => new Quota(name, role));
  }
}

/** The amount of each resource that a step requires, by resource name (M3). */
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

/** A function of a TypeScript workflow is identified by its position (`workflow/step`), not by an agent name. */
function isNamed(agent: string): boolean {
  return !agent.includes("/");
}

/** All enabled steps, including those inside maps and repetitions. */
function allSteps(steps: readonly StepDefinition[]): readonly StepDefinition[] {
  return steps
    .filter(({ enabled }) => enabled !== false)
    .flatMap((step) => [step, ...allSteps(stepsInside(step.action))]);
}

function demandKey({ resource, amount, bound, meter, isFreedOnForceStop }: ResourceDemand): string {
  const perMs = resource.kind === "quota" ? resource.meters.find((window) => window === meter)!.perMs : 0;
  return JSON.stringify([resource.kind, resource.role, resource.name, amount, bound, perMs, isFreedOnForceStop]);
}

function getOrCreate<Made>(all: Map<string, Made>, name: string, create: () => Made): Made {
  let value = all.get(name);
  if (value === undefined) all.set(name, (value = create()));
  return value;
}
