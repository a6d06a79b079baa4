// Progress that an attempt reports. Worker threads use this file too, so it imports nothing heavy.

import { boundedText } from "@segno/kernel/mask-and-cut";
import type { StepProgress } from "../store/step-progress.ts";

/** A part of the whole from 0 to 1, or counts with a message. */
export type ProgressInput =
  | number
  | { readonly done: number; readonly total: number; readonly message?: string | undefined };

/**
 * Reports how far the attempt is: `progress(0.4)` or `progress({ done: 3, total: 10, message: "copying" })`. Only the latest
 * value is kept, and it is not part of the journal. Throws `PROGRESS_INVALID` for a value that is not progress.
 */
export type ReportProgress = (progress: ProgressInput) => void;

/** Progress as an attempt reports it, checked. */
export type ProgressValue = Pick<StepProgress, "fraction" | "done" | "total" | "message">;

/** By its name it is permanent: the next attempt would report the same (FAIL-1). It may cross threads, so the name is a field. */
class ProgressError extends TypeError {
  override readonly name = "PermanentError";
  readonly code = "PROGRESS_INVALID";
}

const KEYS: ReadonlySet<string> = new Set(["done", "total", "message"]);

export function checkProgress(given: unknown): ProgressValue {
  const problem = findProgressProblem(given);
  if (problem !== undefined) throw new ProgressError(`progress: ${problem}`);
  if (typeof given === "number") return { fraction: given };
  const { done, total, message } = given as Exclude<ProgressInput, number>;
  const fraction = total === 0 ? 1 : done / total;
  return { fraction, done, total, ...(message === undefined ? {} : { message: boundedText(message) }) };
}

/** Undefined if the value is progress. */
function findProgressProblem(given: unknown): string | undefined {
  if (typeof given === "number") return given >= 0 && given <= 1 ? undefined : `${given} is not from 0 to 1`;
  if (typeof given !== "object" || given === null || Array.isArray(given))
    return "expected a number from 0 to 1, or { done, total, message }";
  const unknown = Object.keys(given).find((key) => !KEYS.has(key));
  if (unknown !== undefined) return `unknown key \`${boundedText(unknown)}\`; the keys are done, total and message`;
  const { done, total, message } = given as Readonly<Record<string, unknown>>;
  if (!isCount(done) || !isCount(total)) return "`done` and `total` must be numbers from 0";
  if (done > total) return `\`done\` is ${done}, which is more than \`total\`, ${total}`;
  return message === undefined || typeof message === "string" ? undefined : "`message` must be text";
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
