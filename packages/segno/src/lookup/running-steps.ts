// Tells whether steps run in this process, with any status of their execution: a paused one lets running steps finish (CANCEL-7).

import type { Engine } from "@segno/engine";

export function hasRunningSteps({ internals }: Engine): boolean {
  for (const execution of internals.all()) if (isRunningSteps(execution)) return true;
  return false;
}

export function isRunningSteps({ attempts }: { readonly attempts: { readonly size: number } }): boolean {
  return attempts.size > 0;
}
