// Helpers that only the models of the ONEX contract need.

import { z } from "zod";

import { string } from "../../models/zod-helpers.ts";

/** A map with these keys. Other keys are ignored (CONTRACT-4). */
export function openMap<Shape extends z.core.$ZodLooseShape>(shape: Shape, expected: string): z.ZodObject<Shape> {
  return z.object(shape, { error: expected });
}

export function wholeNumberFrom(min: number): z.ZodType<number> {
  const expected = `a whole number of ${min} or more`;
  return z.int({ error: expected }).min(min, { error: expected });
}

export function orNull<Value>(model: z.ZodType<Value>): z.ZodType<Value | null> {
  return model.nullable();
}

/** Text with a limited number of characters, which are counted as code points and not as UTF-16 units. */
export function boundedText(min: number, max: number): z.ZodType<string> {
  const expected = min === 0 ? `text of at most ${max} characters` : `text of ${min} to ${max} characters`;
  return z
    .string({ error: expected })
    .min(min, { error: expected })
    .check(({ value, issues }) => {
      if (value.length <= max || Array.from(value).length <= max) return;
      issues.push({ code: "too_big", origin: "string", maximum: max, input: value, message: expected });
    })
    .meta({ maxLength: max });
}

export const uuidSchema: z.ZodType<string> = string("a UUID such as `3f8b6c1e-5a0d-4c57-9a3e-2b1f0c9d8e7a`", {
  pattern: /^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$/u,
});
