// Shows the state that an engine holds in memory, for the tests of engines.

import { executionsBehind } from "../api/engine-extensions.ts";
import type { Engine } from "../api/engine.ts";
import type { Executions } from "../executions/executions.ts";

export function inspectEngine(engine: Engine): Executions {
  return executionsBehind(engine.extensions);
}
