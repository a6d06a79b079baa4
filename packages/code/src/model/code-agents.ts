// The names under which the agents of code workflows are registered. A process that runs them loads the rest when the first
// one starts.

import "@segno/contract/node-version";
import type { Definition } from "@segno/kernel";

export const CODE_AGENTS = {
  prepare: "segno.code.prepare",
  claim: "segno.code.claim",
  session: "segno.code.session",
  merge: "segno.code.merge",
  merged: "segno.code.merged",
  watch: "segno.code.watch",
  land: "segno.code.land",
  tasks: "segno.code.tasks",
} as const;

/** Whether a definition was compiled from a template. */
export function isCodeWorkflow({ steps }: Definition): boolean {
  const action = steps[0]?.action;
  return action?.kind === "agent" && action.agent === CODE_AGENTS.prepare;
}
