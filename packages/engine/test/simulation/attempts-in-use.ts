// The attempts of an execution that use a slot or a resource.

import { attemptsUnderWay, type Happening } from "@segno/kernel";
import type { LiveExecution } from "../../src/turn/live-execution.ts";

type UnderWay = ReturnType<typeof attemptsUnderWay>;

/** Attempts that hold something. An attempt whose loss is not recorded yet holds nothing. */
export function attemptsInUse(live: LiveExecution): UnderWay {
  return withoutDelivered(attemptsUnderWay(live.state), live, "lost");
}

/**
 * Attempts that run. After a failed commit, an attempt that has ended counts as in use until its end is recorded, although
 * another step may have got what it held.
 */
export function attemptsRunning(live: LiveExecution): UnderWay {
  return withoutDelivered(attemptsInUse(live), live, "ended");
}

function withoutDelivered(attempts: UnderWay, { deliveries }: LiveExecution, kind: "lost" | "ended"): UnderWay {
  const delivered = deliveries.all().flatMap(({ happening }) => (isOf(happening, kind) ? [happening] : []));
  return attempts.filter(
    ({ step, epoch }) => !delivered.some((happening) => happening.step === step && happening.epoch === epoch),
  );
}

function isOf<Kind extends "lost" | "ended">(
  happening: Happening,
  kind: Kind,
): happening is Happening & { kind: Kind } {
  return happening.kind === kind;
}
