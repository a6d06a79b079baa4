// One process of the simulation, with an engine. Every call of a port takes time, and each may be the last one.

import type { Random, SimulatedEnvironment } from "@segno/engine/testing";

/** How often a process crashes. Shared by all processes of a run. */
export class CrashChance {
  readonly #random: Random;
  readonly #percent: number;
  #left: number;

  constructor(random: Random, percent: number, max: number) {
    this.#random = random;
    this.#percent = percent;
    this.#left = max;
  }

  /** Whether the process dies at this step. The moments around a change of refs are short, so they are tried more often. */
  strikes(step: string): boolean {
    if (this.#left === 0) return false;
    const percent = step.includes("refs") || step.includes("Branch") ? this.#percent * 5 : this.#percent;
    if (!this.#random.percent(percent)) return false;
    this.#left--;
    return true;
  }
}

export class SimulatedProcess {
  readonly environment: SimulatedEnvironment;
  readonly #chance: CrashChance;

  constructor(environment: SimulatedEnvironment, chance: CrashChance) {
    this.environment = environment;
    this.#chance = chance;
  }

  /** A moment in which other processes go on. Never resolves if the process dies in it. */
  async step(name: string): Promise<void> {
    if (this.environment.isAlive && this.#chance.strikes(name)) this.environment.crash();
    await this.environment.sleep(this.environment.world.random.below(4), name);
  }

  /** The same port, with a step before and after each call. */
  slow<Port extends object>(name: string, port: Port): Port {
    return new Proxy(port, {
      get: (target, key) => {
        const value: unknown = Reflect.get(target, key, target);
        if (typeof value !== "function" || typeof key !== "string") return value;
        return async (...given: readonly unknown[]): Promise<unknown> => {
          await this.step(`${name}.${key}`);
          const answer: unknown = await Reflect.apply(value, target, given);
          await this.step(`${name}.${key} answered`);
          return answer;
        };
      },
    });
  }
}
