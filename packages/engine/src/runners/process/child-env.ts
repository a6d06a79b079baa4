// The environment variables of a process: allow-listed variables of this process, variables that identify the process,
// and the variables that the step or the agent sets. No other variable of this process reaches it, so credentials and
// database addresses do not leak.
//
//   CV1. A step cannot set or remove the variables that identify the process: without its marker, a process could not
//        be found again.
//   CV2. A process of a tree may itself be a Segno process. Such a process gives its own marker to the process trees that
//        it starts (`SEGNO_OUTER_MARKERS`), so a scan for that marker finds them, too.

import type { Json } from "@segno/kernel";
import type { Attempt } from "../runner.ts";
import { scalarText } from "./scalar-text.ts";

/** The environment variables that process trees inherit by default; a trailing `*` matches any suffix. */
export const INHERITED_ENV_NAMES: readonly string[] = [
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

export type ProcessEnv = Readonly<Record<string, string>>;

export type ChildEnv =
  | { readonly kind: "valid"; readonly env: ProcessEnv }
  | { readonly kind: "invalid"; readonly message: string };

/** The variables of `from` with these names; a trailing `*` matches any suffix. */
export function inheritedEnv(names: readonly string[], from: NodeJS.ProcessEnv): ProcessEnv {
  const env = emptyEnv();
  for (const name of names.flatMap((each) => namesFor(each, from))) {
    const value = from[name];
    if (value !== undefined) env[name] = value;
  }
  return env;
}

/** A record without a prototype, so that `__proto__` is an ordinary name. */
function emptyEnv(): Record<string, string> {
  return Object.create(null) as Record<string, string>;
}

function namesFor(pattern: string, from: NodeJS.ProcessEnv): readonly string[] {
  if (!pattern.endsWith("*")) return [pattern];
  return Object.keys(from).filter((name) => name.startsWith(pattern.slice(0, -1)));
}

export interface ChildEnvInputs {
  readonly inherited: ProcessEnv;
  /** The variables that identify the process (CV1). */
  readonly identity: ProcessEnv;
  /** The variables that the step or the agent sets; null removes an inherited one. */
  readonly variables: Readonly<Record<string, Json>>;
}

/** An attempt, as far as variables identify it. */
type IdentifiedAttempt = Pick<Attempt, "execution" | "step" | "attempt" | "token" | "artifactFolder">;

export function childEnv({ inherited, identity, variables }: ChildEnvInputs): ChildEnv {
  const env = Object.assign(emptyEnv(), inherited, identity);
  for (const [name, value] of Object.entries(variables)) {
    const text = scalarText(value ?? "");
    const problem = findProblem(name, text, identity);
    if (problem !== undefined) return { kind: "invalid", message: problem };
    if (value === null) delete env[name];
    else env[name] = text!;
  }
  return { kind: "valid", env };
}

/** The variables that identify a process of an attempt. */
export function attemptEnv(attempt: IdentifiedAttempt, marker: string): ProcessEnv {
  return {
    SEGNO_EXECUTION: attempt.execution,
    SEGNO_STEP: attempt.step,
    SEGNO_ATTEMPT: String(attempt.attempt),
    // An idempotency key for external calls, and not a credential: the same in every attempt of the step (IDEM-4).
    SEGNO_TOKEN: attempt.token(),
    ...(attempt.artifactFolder === undefined ? {} : { SEGNO_ARTIFACTS: attempt.artifactFolder }),
    ...markerEnv(marker),
  };
}

/** The variables by which a process is found. */
export function markerEnv(marker: string): ProcessEnv {
  const outer = outerMarkers().join("\n");
  return { [MARKER_VARIABLE]: marker, ...(outer === "" ? {} : { [OUTER_MARKERS_VARIABLE]: outer }) };
}

/** The markers of this process itself; present if a step of another Segno started it. */
export function outerMarkers(): readonly string[] {
  const { [MARKER_VARIABLE]: marker = "", [OUTER_MARKERS_VARIABLE]: outer = "" } = process.env;
  return [...outer.split("\n"), marker].filter((each) => each !== "");
}

/** The message never contains the value, which may be a secret. */
function findProblem(name: string, text: string | undefined, identity: ProcessEnv): string | undefined {
  if (name === "" || name.includes("=") || name.includes("\0"))
    return `${JSON.stringify(name)} in \`env\` is not a valid name of a variable`;
  if (Object.hasOwn(identity, name)) return `\`env\` sets ${name}, which Segno sets itself`;
  if (text === undefined) return `${name} in \`env\` is not text, a number or a boolean`;
  return text.includes("\0") ? `${name} in \`env\` holds a NUL character` : undefined;
}
