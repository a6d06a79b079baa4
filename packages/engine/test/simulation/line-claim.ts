// The claim about sequential workflows: when a step begins, all steps before it in the plan have ended. The check uses
// the plan and the phases, and not the order that the kernel keeps.

import { stepName, type Event, type State } from "@segno/kernel";
import { phaseName } from "./state-image.ts";

const ENDED: ReadonlySet<string> = new Set(["succeeded", "failed", "skipped", "cancelled"]);
const BEGINNINGS: ReadonlySet<string> = new Set(["step.started", "step.suspended", "step.expanded"]);

/** The problem with the beginning of a step, before it is folded. */
export function brokenTurn(state: State, event: Event): string | undefined {
  if (!BEGINNINGS.has(event.kind) || !("step" in event) || event.step === undefined) return undefined;
  const place = event.step;
  const { kind, base, program } = state.regions.find((each) => place >= each.base && place < each.base + each.size)!;
  if (program.definition.sequential !== true || (kind !== "root" && kind !== "workflow")) return undefined;
  // A fallback begins in place of its primary.
  let first = place - base;
  while (program.steps[first]!.primary >= 0) first = program.steps[first]!.primary;
  for (const step of program.order.steps) {
    if (step === first) return undefined;
    const isFallback = program.steps[step]!.primary >= 0;
    if (!isFallback && !ENDED.has(phaseName(state, base + step)))
      return `\`${stepName(state, place)}\` begins before \`${stepName(state, base + step)}\` has ended`;
  }
  return undefined;
}
