// The environment variables of a command: allow-listed variables of this process, variables that identify the attempt,
// and the step's own `env`. No other variable of this process reaches a command, so credentials and database addresses
// do not leak.
//
//   CV1. A step cannot set or remove the variables that identify the attempt: without its marker, a process could not
//        be found again.
//   CV2. A command may itself be a Segno process. Such a process gives its own marker to the commands that it starts
//        (`SEGNO_OUTER_MARKERS`), so a scan for that marker finds them, too.

import type { Attempt } from "../runner.ts";
import { scalarText } from "./scalar-text.ts";

/** Variable names; a trailing `*` matches any suffix. */
export const INHERITED_VARIABLES: readonly string[] = [
  "PATH",
  "HOME",
  "LANG",
  "LANGUAGE",
  "LC_*",
  "TZ",
  "TMPDIR",
  "TERM",
  "USER",
  "LOGNAME",
  "SHELL",
  // Hardly any program starts on Windows without these.
  "SystemRoot",
  "SystemDrive",
  "windir",
  "ComSpec",
  "PATHEXT",
  "TEMP",
  "TMP",
  "USERNAME",
  "USERPROFILE",
  "HOMEDRIVE",
  "HOMEPATH",
  "APPDATA",
  "LOCALAPPDATA",
  "ProgramData",
  "ProgramFiles",
  "NUMBER_OF_PROCESSORS",
  "PROCESSOR_ARCHITECTURE",
];

export const MARKER_VARIABLE = "SEGNO_MARKER";
/** The markers of the attempts that this process itself runs in, one per line (CV2). */
export const OUTER_MARKERS_VARIABLE = "SEGNO_OUTER_MARKERS";

export type ProcessVariables = Readonly<Record<string, string>>;

export type ChildVariables =
  | { readonly kind: "variables"; readonly variables: ProcessVariables }
  | { readonly kind: "invalid"; readonly message: string };

/** The variables of `from` that the list allows. */
export function inheritedVariables(list: readonly string[], from: NodeJS.ProcessEnv): ProcessVariables {
  const variables = emptyVariables();
  for (const name of list.flatMap((each) => namesFor(each, from))) {
    const value = from[name];
    if (value !== undefined) variables[name] = value;
  }
  return variables;
}

/** A record without a prototype, so that `__proto__` is an ordinary name. */
function emptyVariables(): Record<string, string> {
  return Object.create(null) as Record<string, string>;
}

function namesFor(pattern: string, from: NodeJS.ProcessEnv): readonly string[] {
  if (!pattern.endsWith("*")) return [pattern];
  return Object.keys(from).filter((name) => name.startsWith(pattern.slice(0, -1)));
}

export function childVariables(inherited: ProcessVariables, attempt: Attempt, marker: string): ChildVariables {
  const own = ownVariables(attempt, marker);
  const variables = Object.assign(emptyVariables(), inherited, own);
  for (const [name, value] of Object.entries(attempt.renderedAction().env ?? {})) {
    const text = scalarText(value ?? "");
    const problem = findProblem(name, text, own);
    if (problem !== undefined) return { kind: "invalid", message: problem };
    if (value === null) delete variables[name];
    else variables[name] = text!;
  }
  return { kind: "variables", variables };
}

function ownVariables(attempt: Attempt, marker: string): ProcessVariables {
  const outer = outerMarkers().join("\n");
  return {
    SEGNO_EXECUTION: attempt.execution,
    SEGNO_STEP: attempt.step,
    SEGNO_ATTEMPT: String(attempt.attempt),
    SEGNO_TOKEN: attempt.token(),
    [MARKER_VARIABLE]: marker,
    ...(outer === "" ? {} : { [OUTER_MARKERS_VARIABLE]: outer }),
  };
}

/** The markers of this process itself; present if a step of another Segno started it. */
export function outerMarkers(): readonly string[] {
  const { [MARKER_VARIABLE]: marker = "", [OUTER_MARKERS_VARIABLE]: outer = "" } = process.env;
  return [...outer.split("\n"), marker].filter((each) => each !== "");
}

/** The message never contains the value, which may be a secret. */
function findProblem(name: string, text: string | undefined, own: ProcessVariables): string | undefined {
  if (name === "" || name.includes("=") || name.includes("\0"))
    return `${JSON.stringify(name)} in \`env\` is not a valid name of a variable`;
  if (Object.hasOwn(own, name)) return `\`env\` sets ${name}, which Segno sets itself`;
  if (text === undefined) return `${name} in \`env\` is not text, a number or a boolean`;
  return text.includes("\0") ? `${name} in \`env\` holds a NUL character` : undefined;
}
