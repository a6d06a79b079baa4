// Runs one seed. Every third seed runs without faults and is compared with the reference model. Every ninth runs a plan
// with faults whose outcome the model knows. The others have faults and random user actions; in every ninth, agents make
// recorded calls.

import { simulateExact } from "./exact/simulate-exact.ts";
import { FinalChecks } from "./final-checks.ts";
import { simulateOutcome } from "./outcome/simulate-outcome.ts";
import type { SimulationOptions } from "./simulation-options.ts";
import { ClaimBroken, describe, Simulation, type SimulationResult } from "./simulation.ts";

export function simulate(seed: number, options: SimulationOptions = {}): Promise<SimulationResult> {
  if (seed % 3 === 0) return simulateExact(seed, options);
  if (seed % 9 === 5) return simulateOutcome(seed, options);
  return seed % 9 === 8 ? simulateCalls(seed, options) : simulateFaults(seed, options);
}

export function simulateCalls(seed: number, options: SimulationOptions = {}): Promise<SimulationResult> {
  return simulateFaults(seed, { ...options, makesCalls: true });
}

export async function simulateFaults(seed: number, options: SimulationOptions = {}): Promise<SimulationResult> {
  const simulation = new Simulation(seed, options);
  const onRejection = (error: unknown): void =>
    simulation.break(`a promise was rejected and nobody heard: ${describe(error)}`);
  process.on("unhandledRejection", onRejection);
  try {
    await simulation.run();
    await new FinalChecks(simulation).run();
  } catch (error) {
    if (!(error instanceof ClaimBroken)) simulation.failure ??= `the simulation threw: ${describe(error)}`;
  } finally {
    process.off("unhandledRejection", onRejection);
  }
  return simulation.result();
}
