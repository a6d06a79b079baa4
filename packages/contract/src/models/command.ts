// The options of commands, which steps and compensations have: where a command runs, which shell runs a script, and its standard input.

import type { Json } from "@segno/kernel";
import type { z } from "zod";

import { json, list, string, union } from "./zod-helpers.ts";

/** A program, or a program with the arguments that stand before the script. */
export type RawShell = string | readonly string[];

/** `-e`: the first failing command ends the script. `--`: a script that begins with a hyphen is not an option. */
const SHELL_ARGUMENTS: readonly string[] = ["-e", "-c", "--"];

export function toShell(shell: RawShell): readonly string[] {
  return typeof shell === "string" ? [shell, ...SHELL_ARGUMENTS] : shell;
}

/** The short form, if it means the same. */
export function toRawShell(shell: readonly string[]): RawShell {
  const [program, ...words] = shell;
  const isShort = program !== undefined && words.join("\0") === SHELL_ARGUMENTS.join("\0");
  return isShort ? program : shell;
}

const SHELL_EXPECTED = "a program such as `bash`, or a list of a program and its arguments";

export const commandShape: {
  readonly cwd: z.ZodExactOptional<z.ZodType<string>>;
  readonly shell: z.ZodExactOptional<z.ZodType<RawShell>>;
  readonly stdin: z.ZodExactOptional<z.ZodType<Json>>;
} = {
  cwd: string("a folder")
    .meta({ description: "The working directory of the command, relative to that of Segno. A template." })
    .exactOptional(),
  shell: (
    union([string(SHELL_EXPECTED), list(string("text"), SHELL_EXPECTED, 1)], SHELL_EXPECTED) as z.ZodType<RawShell>
  )
    .meta({
      description:
        "The program that runs the script: `bash` is `[bash, -e, -c, --]`; a list gets the script as its last argument.",
    })
    .exactOptional(),
  stdin: json
    .meta({
      description:
        "The standard input of the command. A template; values that are not text are written as JSON; secrets are allowed.",
    })
    .exactOptional(),
};
