import type { ExecutionStatus } from "@segno/kernel";

import type { Palette } from "../terminal/palette.ts";

const TONES: Readonly<Record<ExecutionStatus, keyof Palette>> = {
  pending: "quiet",
  validating: "quiet",
  running: "accent",
  paused: "caution",
  parked: "caution",
  failing: "bad",
  cancelling: "caution",
  completed: "good",
  failed: "bad",
  cancelled: "caution",
};

/** The colour of a status. */
export function statusTone(status: ExecutionStatus | "none"): keyof Palette {
  return status === "none" ? "quiet" : TONES[status];
}
