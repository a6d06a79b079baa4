// A warning about secrets that some step of a workflow may need and that have no value here.

import type { Failure } from "@segno/kernel";

import type { Palette } from "../terminal/palette.ts";
import { safeText } from "../terminal/safe-text.ts";

export function secretWarning({ code, message }: Failure, palette: Palette): string {
  const effect = "a step that needs it parks the execution until a process has it";
  return `${palette.caution(`warning ${code}`)} ${safeText(message)}; ${effect}\n`;
}
