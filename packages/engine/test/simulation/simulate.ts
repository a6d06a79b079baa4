// One seed: the run of it, whatever comes of it. Every third seed runs without faults and is compared with the reference model.

import { simulateExact } from "./exact/simulate-exact.ts";
import { Finale } from "./finale.ts";
import { ClaimBroken, describe, Simulation, type SimulationResult } from "./simulation.ts";

export interface SimulationOptions {
  /** Keep a line for each task. */
  readonly isLogged?: boolean;
}

export function simulate(seed: number, options: SimulationOptions = {}): Promise<SimulationResult> {
  return seed % 3 === 0 ? simulateExact(seed, options) : simulateFaults(seed, options);
}

export async function simulateFaults(seed: number, options: SimulationOptions = {}): Promise<SimulationResult> {
  const simulation = new Simulation(seed, options.isLogged === true);
  const onRejection = (error: unknown): void =>
    simulation.break(`a promise was rejected and nobody heard: ${describe(error)}`);
  process.on("unhandledRejection", onRejection);
  try {
    await simulation.run();
    await new Finale(simulation).play();
  } catch (error) {
    if (!(error instanceof ClaimBroken)) simulation.failure ??= `the simulation threw: ${describe(error)}`;
  } finally {
    process.off("unhandledRejection", onRejection);
  }
  return simulation.result();
}
