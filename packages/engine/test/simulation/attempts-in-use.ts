// The attempts of an execution that use a slot.

import { attemptsUnderWay } from "@segno/kernel";
import type { LiveExecution } from "../../src/turn/live-execution.ts";

/** Attempts that hold something. An attempt whose loss is not recorded yet holds nothing. */
export function attemptsInUse({ state, deliveries }: LiveExecution): ReturnType<typeof attemptsUnderWay> {
  const lost = deliveries.all().flatMap(({ happening }) => (happening.kind === "lost" ? [happening] : []));
  return attemptsUnderWay(state).filter(
    ({ step, epoch }) => !lost.some((happening) => happening.step === step && happening.epoch === epoch),
  );
}
