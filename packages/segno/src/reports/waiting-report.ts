// The list of `segno why`: what an execution and its steps wait for (SCHED-7).

import type { Engine } from "@segno/engine";

import { commandName } from "../journal/journal-options.ts";
import { parkRemedy } from "../progress/park-remedy.ts";
import { safeText } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { displayWidth, pad } from "../terminal/text-layout.ts";
import { widest } from "../terminal/widest.ts";

export type WaitingRow = Awaited<ReturnType<Engine["why"]>>[number];

const NAME_COLUMNS_MAX = 40;

/** Rewords what only an owner of the journal would do, because no process owns it. */
export function withoutProcess(waiting: WaitingRow): WaitingRow {
  const { step, label, reason } = waiting;
  const title = label === undefined ? `\`${step}\`` : `\`${step}\` (${label})`;
  if (reason.kind === "running")
    return { ...waiting, text: `${title} was running, attempt ${reason.attempt}, when its process ended` };
  return reason.kind === "ready" ? { ...waiting, text: `${title} is ready` } : waiting;
}

/** Adds the command that ends a pause or a park; the engine's texts name no command. */
export function withCommand(waiting: WaitingRow): WaitingRow {
  const { step, reason, text } = waiting;
  if (reason.kind === "paused") return { ...waiting, text: `${text}; \`${commandName()} resume\` resumes it` };
  if (reason.kind === "parked" && step === undefined)
    return { ...waiting, text: `${text}; ${parkRemedy(reason.cause, commandName(), "`")}` };
  return waiting;
}

/** Reasons of the execution itself come first. A step is named once, even if it waits for several things. */
export function waitingLines(waiting: readonly WaitingRow[], { palette }: Terminal): readonly string[] {
  if (waiting.length === 0) return ["nothing is waiting"];
  const byStep = Map.groupBy(waiting, ({ step }) => step);
  const width = Math.min(NAME_COLUMNS_MAX, widest([...byStep.keys()].map(nameWidth)));
  const whole = byStep.get(undefined) ?? [];
  return [
    ...whole.map(({ text }) => safeText(text)),
    ...[...byStep].flatMap(([step, each]) =>
      step === undefined
        ? []
        : each.map(({ text }, place) => {
            const name = place === 0 ? palette.title(pad(safeText(step), width)) : " ".repeat(width);
            return `  ${name}  ${safeText(text)}`;
          }),
    ),
  ];
}

function nameWidth(step: string | undefined): number {
  return step === undefined ? 0 : displayWidth(safeText(step));
}
