// The names that a contract declares and refers to.

import { string } from "./zod-helpers.ts";
import type { z } from "zod";

const STEP_ID_PATTERN: RegExp = /^[A-Za-z_][A-Za-z0-9_-]*$/u;

export const stepIdSchema: z.ZodType<string> = string("an id: a letter or `_`, then letters, digits, `_` and `-`", {
  pattern: STEP_ID_PATTERN,
  max: 128,
});

/** The id of another step. Its form is not checked: an id that no step has is reported as unknown, with a suggestion. */
export const stepReferenceSchema: z.ZodType<string> = string("the id of a step");

export const workflowNameSchema: z.ZodType<string> = string("a name: letters, digits, `_`, `.` and `-`", {
  pattern: /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/u,
  max: 128,
});

export const versionSchema: z.ZodType<string> = string('a version as text, such as "1.4.0"', {
  pattern: /^[A-Za-z0-9_][A-Za-z0-9_.+-]*$/u,
  max: 128,
});

export const workflowReferenceSchema: z.ZodType<string> = string("the name of a workflow, or `name@version`", {
  pattern: /^[A-Za-z0-9_][A-Za-z0-9_.-]*(?:@[A-Za-z0-9_][A-Za-z0-9_.+-]*)?$/u,
  max: 257,
});

/** The name of an agent, a resource, a queue, a signal or a secret. */
export function nameSchema(what: string): z.ZodType<string> {
  return string(`the name of ${what}: a letter or \`_\`, then letters, digits, \`_\`, \`.\` and \`-\``, {
    pattern: /^[A-Za-z_][A-Za-z0-9_.-]*$/u,
    max: 128,
  });
}

export const secretNameSchema: z.ZodType<string> = string(
  "the name of a secret: a letter or `_`, then letters, digits, `_` and `-`",
  { pattern: STEP_ID_PATTERN, max: 128 },
);

/** A pattern of files. `step-rules.ts` checks that it stays below the working directory. */
export const artifactPatternSchema: z.ZodType<string> = string("a pattern of files, such as `dist/*.tgz`", {
  max: 512,
});

/** The name of a list of a matrix. */
export const axisNameSchema: z.ZodType<string> = string(
  "the name of a list: a letter or `_`, then letters, digits, `_` and `-`",
  { pattern: STEP_ID_PATTERN, max: 128 },
);

export const variablePathSchema: z.ZodType<string> = string("a path such as `variables.name`", {
  pattern: /^variables(?:\.[A-Za-z_][A-Za-z0-9_-]*)+$/u,
  max: 512,
});

export const environmentNameSchema: z.ZodType<string> = string(
  "the name of an environment variable: a letter or `_`, then letters, digits and `_`",
  { pattern: /^[A-Za-z_][A-Za-z0-9_]*$/u },
);

export const headerNameSchema: z.ZodType<string> = string("the name of a header", {
  pattern: /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/u,
});
