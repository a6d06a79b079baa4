// Checks the terminal, and the variables that change the output of the command.

import { isInteractive } from "../terminal/terminal.ts";
import { ok, warning, type DoctorFinding } from "./finding.ts";

type TerminalVariables = Readonly<Record<string, string | undefined>>;

export interface TerminalFacts {
  readonly isTerminal: boolean;
  readonly columns: number | undefined;
  /** The number of colours that the terminal can show. */
  readonly colors: number;
  readonly isInColor: boolean;
}

/** A narrower terminal cuts useful text. */
const COLUMNS_ENOUGH = 60;

export function checkTerminal(
  { isTerminal, columns, colors, isInColor }: TerminalFacts,
  variables: TerminalVariables,
): DoctorFinding {
  if (!isTerminal) return ok("terminal", "not a terminal: progress is printed as plain lines");
  const size = columns === undefined || columns === 0 ? "of unknown width" : `${columns} columns wide`;
  const look = isInteractive(true, variables) ? "progress is drawn live" : "progress is printed as plain lines";
  const text = `${size}, ${isInColor ? `${colors} colours` : "without colours"}; ${look}`;
  if (!isUnicode(variables))
    return warning(
      "terminal",
      `${text}; signs such as ✓ may not be displayed`,
      "set LANG to a UTF-8 locale, such as C.UTF-8",
    );
  if (columns !== undefined && columns > 0 && columns < COLUMNS_ENOUGH)
    return warning("terminal", text, `make the window at least ${COLUMNS_ENOUGH} columns wide`);
  return ok("terminal", text);
}

/** The first variable that is set decides; without any, UTF-8 is assumed. */
function isUnicode({ LC_ALL, LC_CTYPE, LANG }: TerminalVariables): boolean {
  const locale = [LC_ALL, LC_CTYPE, LANG].find((each) => each !== undefined && each !== "");
  return locale === undefined || /utf-?8/iu.test(locale);
}

/** The effect of each variable. Values are not shown, because some are private. */
const EFFECTS: Readonly<Record<string, string>> = {
  NO_COLOR: "no colours",
  FORCE_COLOR: "decides about colours",
  CLICOLOR_FORCE: "forces colours",
  CI: "progress as plain lines",
  SEGNO_DEBUG: "a bug is shown with its stack trace",
  NODE_OPTIONS: "changes Node.js for Segno and for its steps",
  TZ: "the time zone",
};

export function checkVariables(variables: TerminalVariables): DoctorFinding {
  const set = Object.entries(EFFECTS).filter(([name]) => (variables[name] ?? "") !== "");
  if (set.length === 0) return ok("variables", "none is set");
  return ok("variables", set.map(([name, effect]) => `${name} is set (${effect})`).join(", "));
}
