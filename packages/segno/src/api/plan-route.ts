// The route that plans a workflow. It is pure: nothing runs, and nothing is stored.

import { CheckedInput, createSchemaCheck } from "@segno/contract";
import type { RegisteredWorkflow } from "@segno/engine";
import { SegnoError, type Json } from "@segno/kernel";
import { route, type ApiRoute } from "@segno/server";
import { z } from "zod";

import { toPlan } from "../plan/to-plan.ts";

export const PLAN_ROUTE: ApiRoute = route({
  method: "POST",
  path: "/v1/workflows/{name}/plan",
  scope: "read",
  summary: "Plan a workflow: its steps in waves, and with an input which of them would run. Nothing runs.",
  params: z.strictObject({ name: z.string() }),
  body: z.strictObject({ input: z.json().optional() }),
  answers: {
    200: {
      description: "The plan.",
      schema: z.looseObject({ workflow: z.string(), hash: z.string(), steps: z.array(z.looseObject({})) }),
    },
  },
  handle: async ({ params: { name }, body: { input } }, context) => {
    const workflow = await context.workflow(name);
    const { program, hash } = workflow;
    const seen = input === undefined ? {} : { input: await checkedInput(workflow, input) };
    return { kind: "json", status: 200, body: toPlan(program, { hash, ...seen }) };
  },
});

/** The conditions see the input as the schema of a built workflow converts it. */
async function checkedInput({ definition, validate }: RegisteredWorkflow, input: Json): Promise<Json> {
  const checked = CheckedInput.check(definition, input, createSchemaCheck());
  if (checked instanceof CheckedInput) return (await validate?.(input)) ?? input;
  const problems = checked.map(({ path, message }) => `input ${path} ${message}`).join("; ");
  throw new SegnoError("INPUT_INVALID", `the input does not fit the workflow's schema: ${problems}`);
}
