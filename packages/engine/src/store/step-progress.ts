// Progress of steps, stored beside the journals with the logs: the latest value of each step, without history.
//
//   P1. A step has one row; the progress of a later attempt replaces it.
//   P2. A row that cannot be read counts as absent: no decision depends on it.

import type { EpochMs } from "@segno/kernel";
import type { Codec } from "./codec.ts";

/** The latest progress of an attempt. */
export interface StepProgress {
  readonly step: string;
  readonly attempt: number;
  /** The epoch of the attempt: progress counts only while this attempt runs. */
  readonly epoch: number;
  readonly at: EpochMs;
  /** From 0 to 1. */
  readonly fraction: number;
  readonly done?: number;
  readonly total?: number;
  /** Masked, and at most 200 characters. It is raw text; a caller that prints it must escape it. */
  readonly message?: string;
}

/** The row of a step; the body passes through the codec. */
export interface ProgressRow {
  readonly step: string;
  readonly body: string;
}

export function encodeProgress(progress: StepProgress, codec: Codec): ProgressRow {
  return { step: progress.step, body: codec.encode(JSON.stringify(progress)) };
}

export function decodeProgress(rows: Iterable<ProgressRow>, codec: Codec): readonly StepProgress[] {
  return Array.from(rows, ({ body }) => decodeRow(body, codec)).filter((row) => row !== undefined);
}

/** P2. */
function decodeRow(body: string, codec: Codec): StepProgress | undefined {
  try {
    const progress = JSON.parse(codec.decode(body)) as StepProgress;
    return isProgress(progress) ? progress : undefined;
  } catch {
    return undefined;
  }
}

/** The file is untrusted. */
function isProgress(row: Readonly<Partial<Record<keyof StepProgress, unknown>>>): boolean {
  const { step, attempt, epoch, at, fraction, done = 0, total = 0, message = "" } = row;
  const numbers = [attempt, epoch, at, fraction, done, total];
  return typeof step === "string" && typeof message === "string" && numbers.every((value) => Number.isFinite(value));
}
