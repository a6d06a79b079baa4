// Shows the state that an engine holds in memory, for the tests of engines.

import { memoryBehind } from "../api/engine-extensions.ts";
import type { Engine } from "../api/engine.ts";
import type { Executions } from "../executions/executions.ts";
import type { AdmissionController } from "../turn/admission-controller.ts";

export function inspectEngine(engine: Engine): Executions {
  return memoryBehind(engine.extensions).executions;
}

/** The slots and resources of an engine. */
export function inspectAdmission(engine: Engine): AdmissionController {
  return memoryBehind(engine.extensions).admission;
}
