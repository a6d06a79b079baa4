// The names under which the agents of code workflows are registered. A process that runs them loads the rest when the first
// one starts.

import "@segno/contract/node-version";

export const CODE_AGENTS = {
  prepare: "segno.code.prepare",
  session: "segno.code.session",
  merge: "segno.code.merge",
  merged: "segno.code.merged",
  watch: "segno.code.watch",
  land: "segno.code.land",
  tasks: "segno.code.tasks",
} as const;
