// Tells whether steps run in this process, with any status of their execution: a paused one lets running steps finish (CANCEL-7).

import type { Engine } from "@segno/engine";

export function hasRunningSteps(engine: Engine): boolean {
  return engine.extensions.workload().executions.some(({ runningSteps }) => runningSteps > 0);
}
