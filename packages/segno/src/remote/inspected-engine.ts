// The part of an engine that commands use to inspect and control executions. `Engine` has it, and so has `RemoteEngine`, which asks a
// server (decision 73).

import type { Engine, EngineExtensions } from "@segno/engine";

export interface InspectedEngine
  extends AsyncDisposable, Pick<Engine, "get" | "isOwner" | "list" | "logs" | "progress" | "why"> {
  readonly extensions: InspectedStates;
}

/** The states of executions that a view folds further, and the values behind their references. */
export interface InspectedStates extends Pick<EngineExtensions, "readValues"> {
  readonly states: Pick<EngineExtensions["states"], "fold" | "initial">;
}
