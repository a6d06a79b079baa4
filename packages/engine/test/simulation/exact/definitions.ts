// Workflows of exact runs: small, valid, and with every feature that the reference model knows.
//
// Steps that need a resource have their own agent, so that a reservation (SCHED-4) never blocks other steps: the model
// has no reservations.

import {
  durationMs,
  stepId,
  type ActionDefinition,
  type Definition,
  type DependencyDefinition,
  type StepDefinition,
} from "@segno/kernel";
import type { Random } from "../../../src/testing/random.ts";
import { someTime } from "./times.ts";

export const AGENTS = ["worker0", "worker1", "worker2", "roomy", "caller"] as const;
export const ROOM = 2;
export const QUOTA = { rate: 2, perMs: 40_000 } as const;
export const SIGNALS = ["go", "stop"] as const;
export const VOTERS = ["ann", "bob", "cleo"] as const;

const RESOURCES: NonNullable<Definition["resources"]> = {
  room: { kind: "capacity", capacity: ROOM },
  calls: { kind: "quota", rate: QUOTA.rate, per: durationMs(QUOTA.perMs) },
};

export function makeDefinitions(chance: Random): readonly Definition[] {
  const maker = new DefinitionMaker(chance);
  return [
    maker.definition("sub", 1),
    ...Array.from({ length: chance.between(1, 2) }, (_, n) => maker.definition(`flow${n}`, 0)),
  ];
}

class DefinitionMaker {
  readonly #chance: Random;

  constructor(chance: Random) {
    this.#chance = chance;
  }

  definition(name: string, depth: number): Definition {
    const chance = this.#chance;
    return {
      name,
      resources: RESOURCES,
      steps: this.#steps("s", depth, depth === 0 ? chance.pick([1, 4, 8]) : 3),
      onFailure: chance.pick(["abort", "finish", "compensate", "compensate"]),
      ...(chance.percent(15) ? { timeout: durationMs(2 * someTime(chance)) } : {}),
      ...(chance.percent(50) ? { grace: durationMs(someTime(chance) / 8) } : {}),
      ...(chance.percent(25) ? { concurrency: chance.between(1, 2) } : {}),
    };
  }

  #steps(prefix: string, depth: number, most: number): StepDefinition[] {
    const chance = this.#chance;
    const steps: StepDefinition[] = [];
    for (let index = 0, count = chance.between(1, most); index < count; index++) {
      const isEnabled = !chance.percent(6);
      const fallback = chance.percent(12) ? stepId(`${prefix}${index}f`) : undefined;
      const dependsOn = this.#dependencies(steps);
      steps.push(this.#step(`${prefix}${index}`, depth, dependsOn, isEnabled, fallback));
      if (fallback !== undefined) steps.push(this.#step(fallback, 2, [], isEnabled, undefined));
    }
    return steps;
  }

  #dependencies(steps: readonly StepDefinition[]): readonly DependencyDefinition[] {
    const chance = this.#chance;
    return steps
      .filter(({ id }) => !id.endsWith("f") && chance.percent(40))
      .map(({ id }) => ({ step: id, on: chance.percent(25) ? ("settled" as const) : ("succeeded" as const) }));
  }

  #step(
    id: string,
    depth: number,
    dependsOn: readonly DependencyDefinition[],
    isEnabled: boolean,
    fallback: StepDefinition["id"] | undefined,
  ): StepDefinition {
    const chance = this.#chance;
    const action = this.#action(depth);
    const [first] = dependsOn;
    const isTimed = depth < 2 && (action.kind === "agent" || action.kind === "map" || action.kind === "workflow");
    return {
      id: stepId(id),
      action,
      ...(dependsOn.length === 0 ? {} : { dependsOn }),
      ...(chance.percent(12) ? { when: this.#condition(first) } : {}),
      ...(first !== undefined && chance.percent(60) ? { input: { read: `\${ steps.${first.step}.output }` } } : {}),
      ...(chance.percent(60) ? { retry: this.#retry() } : {}),
      ...(isTimed && chance.percent(30) ? { timeout: durationMs(someTime(chance)) } : {}),
      ...(chance.percent(20) ? { onError: "continue" as const } : {}),
      ...(fallback === undefined ? {} : { fallback }),
      ...(action.kind === "agent" && chance.percent(30) ? { compensate: this.#compensation() } : {}),
      ...(isEnabled ? {} : { enabled: false }),
      ...(action.kind === "agent" && chance.percent(40) ? { priority: chance.between(-3, 5) } : {}),
      ...(action.kind === "agent" ? toNeed(action.agent) : {}),
    };
  }

  #condition(first: DependencyDefinition | undefined): string {
    return this.#chance.pick([
      "`true`",
      "`false`",
      ...(first === undefined ? [] : [`steps.${first.step}.status == 'succeeded'`]),
    ]);
  }

  #retry(): NonNullable<StepDefinition["retry"]> {
    const chance = this.#chance;
    return {
      attempts: chance.between(1, 4),
      ...(chance.percent(70) ? { base: durationMs(someTime(chance) / 8) } : {}),
      ...(chance.percent(50) ? { factor: chance.pick([1, 3]) } : {}),
      ...(chance.percent(40) ? { max: durationMs(someTime(chance) / 4) } : {}),
      ...(chance.percent(50) ? { on: ["transient", "timeout"] as const } : {}),
    };
  }

  #compensation(): NonNullable<StepDefinition["compensate"]> {
    const chance = this.#chance;
    return {
      action: { kind: "agent", agent: chance.pick(["worker0", "worker1"]) },
      retry: { attempts: chance.between(1, 2), base: durationMs(someTime(chance) / 8) },
      ...(chance.percent(30) ? { timeout: durationMs(someTime(chance)) } : {}),
    };
  }

  /**
   * `depth` 2 is the inside of a map, and a fallback: an agent or a barrier, without a time that several steps could
   * share.
   */
  #action(depth: number): ActionDefinition {
    const chance = this.#chance;
    const kind = chance.below(100);
    if (kind < 60) return { kind: "agent", agent: chance.pick(AGENTS) };
    if (kind < 66) return { kind: "barrier" };
    if (depth === 2) return { kind: "agent", agent: chance.pick(AGENTS) };
    if (kind < 73) return { kind: "wait", on: "duration", for: durationMs(someTime(chance)) };
    if (kind < 82) return this.#signalWait();
    if (kind < 88) return this.#approval();
    if (kind < 95 || depth > 0) return this.#map();
    return { kind: "workflow", workflow: "sub" };
  }

  #signalWait(): ActionDefinition {
    const chance = this.#chance;
    return {
      kind: "wait",
      on: "signal",
      signal: chance.pick(SIGNALS),
      ...(chance.percent(50) ? { timeout: durationMs(2 * someTime(chance)) } : {}),
      ...(chance.percent(30) ? { schema: { type: "number" } } : {}),
    };
  }

  #approval(): ActionDefinition {
    const chance = this.#chance;
    return {
      kind: "approve",
      expires: durationMs(2 * someTime(chance)),
      onExpire: chance.pick(["reject", "approve"]),
      ...(chance.percent(50) ? { by: ["ann", "bob"] } : {}),
      ...(chance.percent(50) ? { quorum: 2 } : {}),
    };
  }

  #map(): ActionDefinition {
    const chance = this.#chance;
    return {
      kind: "map",
      over: chance.pick(["`[1,2,3]`", "`[1,2,3,4,5]`", "`[1]`", "`[]`"]),
      steps: this.#steps("m", 2, 2),
      ...(chance.percent(40) ? { tolerance: chance.pick<number | string>([1, "50%"]) } : {}),
      ...(chance.percent(40) ? { concurrency: chance.pick([1, 2]) } : {}),
    };
  }
}

function toNeed(agent: string): Partial<StepDefinition> {
  if (agent === "roomy") return { resources: { room: 1 } };
  return agent === "caller" ? { resources: { calls: 1 } } : {};
}
