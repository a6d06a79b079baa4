// @segno/engine/testing: for tests of workflows, and for those who test engines.

import "@segno/contract/node-version";

export type { Duration } from "./duration.ts";
export { Chance } from "./chance.ts";
export { Disk, FaultyStore, NO_FAULTS, STORE_FAULTS, type FaultRates, type StoreFaultKind } from "./faulty-store.ts";
export {
  fail,
  hang,
  pass,
  script,
  Script,
  succeed,
  type Act,
  type ActOptions,
  type Call,
  type FailOptions,
} from "./script.ts";
export { SimulatedEnvironment, SimulatedWorld, type Task } from "./simulated-environment.ts";
export { openTestEngine, TestEngine, type TestEngineOptions } from "./test-engine.ts";
