// Decides whether to write in colour. The first rule that applies wins: `--color`, then NO_COLOR, then FORCE_COLOR and
// CLICOLOR_FORCE, then whether the stream is a terminal.

export type ColorChoice = "auto" | "always" | "never";

export const COLOR_CHOICES: readonly ColorChoice[] = ["auto", "always", "never"];

export interface ColorSituation {
  readonly choice: ColorChoice;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly isTerminal: boolean;
}

export function wantsColor({ choice, environment, isTerminal }: ColorSituation): boolean {
  if (choice !== "auto") return choice === "always";
  if (isSet(environment["NO_COLOR"])) return false;
  const forced = forcedColor(environment);
  if (forced !== undefined) return forced;
  return isTerminal && environment["TERM"] !== "dumb";
}

/** FORCE_COLOR can enable or disable colours; CLICOLOR_FORCE can only enable them. */
function forcedColor(environment: ColorSituation["environment"]): boolean | undefined {
  const force = environment["FORCE_COLOR"];
  if (isSet(force)) return !isNo(force);
  const cliForce = environment["CLICOLOR_FORCE"];
  return isSet(cliForce) && !isNo(cliForce) ? true : undefined;
}

const isSet = (value: string | undefined): value is string => value !== undefined && value !== "";
const isNo = (value: string): boolean => value === "0" || value.toLowerCase() === "false";
