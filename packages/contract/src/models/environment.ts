import type { z } from "zod";

import type { Scalar } from "./call.ts";
import { record, scalar } from "./zod-helpers.ts";
import { environmentNameModel } from "./name.ts";

export const environmentModel: z.ZodType<Readonly<Record<string, Scalar>>> = record(
  environmentNameModel,
  scalar,
  "a map from names to values",
).meta({
  id: "Environment",
  description: "Environment variables; values are templates, secrets are allowed.",
});
