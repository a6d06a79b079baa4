// The names under which the agents of code workflows are registered. A process that runs them loads the rest when the first
// one starts.

import "@segno/contract/node-version";

export const CODE_AGENTS = {
  prepare: "segno.code.prepare",
  claim: "segno.code.claim",
  session: "segno.code.session",
  merge: "segno.code.merge",
  merged: "segno.code.merged",
  land: "segno.code.land",
  tasks: "segno.code.tasks",
} as const;
