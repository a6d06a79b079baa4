// The steps of a program that people wrote. Segno adds steps to a workflow that was built in TypeScript: for functions that return
// the items of a map, for conditions and for the output. A plan and a picture leave them out.

import { internalSteps, waveCount, waveSteps, type Program, type StepDefinition } from "@segno/kernel";

import { actionText } from "./action-text.ts";

export class WrittenSteps {
  /** Indexes by wave, without waves that have only added steps. */
  readonly waves: readonly (readonly number[])[];
  readonly #added: ReadonlySet<number>;
  readonly #waveOf: ReadonlyMap<number, number>;

  private constructor(waves: readonly (readonly number[])[], added: readonly number[]) {
    this.#added = new Set(added);
    this.waves = waves.map((wave) => wave.filter((step) => this.includes(step))).filter((wave) => wave.length > 0);
    this.#waveOf = new Map(this.waves.flatMap((wave, index) => wave.map((step) => [step, index] as const)));
  }

  static of(program: Program): WrittenSteps {
    const { order } = program;
    const waves = Array.from({ length: waveCount(order) }, (_, wave) => [...waveSteps(order, wave)]);
    return new WrittenSteps(waves, internalSteps(program));
  }

  includes(step: number): boolean {
    return !this.#added.has(step);
  }

  /** Undefined for a step without a wave, because it is disabled. */
  waveOf(step: number): number | undefined {
    return this.#waveOf.get(step);
  }
}

/** The action of a step in one line. A function of the builder has no name of its own, so its step is its name. */
export function stepText({ id, action }: StepDefinition, workflow: string): string {
  if (action.kind === "agent" && action.agent === `${workflow}/${id}`) return "a function";
  if (action.kind === "map" && action.over === `steps.${JSON.stringify(`${id}-items`)}.output`)
    return "for each item of a function";
  return actionText(action);
}

/** The condition of a step; undefined if it has none. */
export function conditionText({ id, when }: StepDefinition): string | undefined {
  return when === `steps.${JSON.stringify(`_when-${id}`)}.output` ? "a function returns true" : when;
}
