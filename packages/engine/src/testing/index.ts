// @segno/engine/testing: tools for tests of workflows and of engines.

import "@segno/contract/node-version";

export type { Duration } from "./duration.ts";
export { inspectAdmission, inspectEngine } from "./inspect-engine.ts";
export { type Change, type Mutant } from "./mutant.ts";
export { PlantedCopy, withCopies, type CopiedWorkspace, type Seeds, type Verdict } from "./planted-copy.ts";
export { Random } from "./random.ts";
export { recordedLogger, throwingLogger, type RecordedLine, type RecordedLogger } from "./recorded-logger.ts";
export {
  SharedStorage,
  FaultyStore,
  NO_FAULTS,
  STORE_FAULTS,
  type FaultRates,
  type StoreFaultKind,
} from "./faulty-store.ts";
export {
  fail,
  hang,
  pass,
  script,
  Script,
  succeed,
  type Response,
  type ResponseOptions,
  type RecordedCall,
  type FailOptions,
} from "./script.ts";
export { SILENT_LOGGER } from "./silent-logger.ts";
export { SimulatedEnvironment, SimulatedWorld, type Task } from "./simulated-environment.ts";
export { MemoryStore } from "../store/memory/memory-store.ts";
export { openTestEngine, TestEngine, type TestEngineOptions } from "./test-engine.ts";
export { VirtualEnvironment, VirtualTime } from "./virtual-environment.ts";
