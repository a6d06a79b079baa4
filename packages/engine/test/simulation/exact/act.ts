// The behaviour of an attempt in an exact run. It follows from the name of the attempt, so the engine's agents and the
// reference model agree without communication.

import { Random } from "../../../src/testing/random.ts";
import { someTime } from "./times.ts";

/** The behaviour of one attempt. */
export interface Act {
  readonly afterMs: number;
  readonly end: "succeed" | "transient" | "permanent" | "wait" | "skip" | "expand";
  /** The minimum delay of the next attempt, if it ends with `wait` (FAIL-3). */
  readonly retryAfterMs: number;
  /** The reaction to its signal: it stops, returns a value, or ignores it. */
  readonly onAbort: "stop" | "return" | "ignore";
  /** How long it cleans up before that. */
  readonly cleanUpMs: number;
}

/** The name of an attempt fixes its behaviour, so the model knows it without running it. */
export function toAct(seed: number, execution: string, step: string, attempt: number): Act {
  const chance = new Random(seed ^ hashText(`${execution} ${step} ${attempt}`));
  const afterMs = someTime(chance);
  const end = chance.pick<Act["end"]>([
    "succeed",
    "succeed",
    "succeed",
    "succeed",
    "succeed",
    "succeed",
    "transient",
    "transient",
    "permanent",
    "wait",
    "skip",
    "expand",
  ]);
  return {
    afterMs,
    // Limits the nesting of scopes.
    end: end === "expand" && ENDINGS.test(step) ? "succeed" : end,
    retryAfterMs: someTime(chance),
    onAbort: chance.pick(["stop", "stop", "return", "ignore"]),
    cleanUpMs: chance.percent(50) ? 0 : someTime(chance) / 8,
  };
}

/** Steps that never expand: dynamic steps and compensations. */
const ENDINGS = /\/(?:e0|e1|compensate)$/u;

function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}
