// What an attempt of an exact run does. It follows from the name of the attempt, so the engine's agents and the reference model
// find the same without talking to each other.

import { Random } from "../../../src/testing/random.ts";
import { someTime } from "./times.ts";

/** What one attempt does. */
export interface Act {
  readonly afterMs: number;
  readonly end: "succeed" | "transient" | "permanent" | "wait" | "skip" | "expand";
  /** How much later the next attempt may begin, where it ends with `wait` (FAIL-3). */
  readonly retryAfterMs: number;
  /** When its signal fires: it stops, returns a value, or goes on as if nothing was. */
  readonly onAbort: "stop" | "return" | "ignore";
  /** How long it cleans up before that. */
  readonly cleanUpMs: number;
}

/** What an attempt does is fixed by its name, so the model knows it without having run it. */
export function actOf(seed: number, execution: string, step: string, attempt: number): Act {
  const chance = new Random(seed ^ hashOf(`${execution} ${step} ${attempt}`));
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
    // Scopes are not to nest for ever.
    end: end === "expand" && ENDINGS.test(step) ? "succeed" : end,
    retryAfterMs: someTime(chance),
    onAbort: chance.pick(["stop", "stop", "return", "ignore"]),
    cleanUpMs: chance.percent(50) ? 0 : someTime(chance) / 8,
  };
}

/** Of steps that never open: those that were made at run time, and undoings. */
const ENDINGS = /\/(?:e0|e1|compensate)$/u;

function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}
