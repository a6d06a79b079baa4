import type { z } from "zod";

import type { Scalar } from "./call.ts";
import { record, scalar } from "./zod-helpers.ts";
import { environmentNameSchema } from "./name.ts";

export const environmentSchema: z.ZodType<Readonly<Record<string, Scalar>>> = record(
  environmentNameSchema,
  scalar,
  "a map from names to values",
).meta({
  id: "Environment",
  description: "Environment variables; values are templates, secrets are allowed.",
});
