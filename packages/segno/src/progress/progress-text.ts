// The progress that a running step has reported, as text.

import { groupedDigits } from "@segno/contract";
import type { StepProgress } from "@segno/engine";

/** For example `30% (3 of 10) copying`. The message is raw text. */
export function progressText({ fraction, done, total, message }: StepProgress): string {
  const counts = done === undefined || total === undefined ? [] : [`(${countText(done)} of ${countText(total)})`];
  const text = message === undefined || message === "" ? [] : [message];
  return [`${Math.floor(fraction * 100)}%`, ...counts, ...text].join(" ");
}

function countText(count: number): string {
  return Number.isSafeInteger(count) ? groupedDigits(count) : String(count);
}
