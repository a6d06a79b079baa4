// The approvals that wait, over all executions.

import type { Engine, ListedExecution } from "@segno/engine";
import { z } from "zod";

import type { ApiRoute } from "./route.ts";
import { ownRoute } from "./server-parts.ts";

/** Each of them is read for one page, so a page is small. */
const EXECUTIONS_A_PAGE = 200;

const waitingApproval = z
  .object({
    execution: z.string(),
    workflow: z.string(),
    step: z.string(),
    message: z.string().optional(),
    by: z.array(z.string()).optional(),
    quorum: z.int(),
    approved: z.array(z.string()),
    needsAnswer: z.boolean().optional(),
    until: z.int().optional(),
  })
  .meta({ id: "WaitingApproval" });

const approvals: ApiRoute = ownRoute({
  method: "GET",
  path: "/v1/approvals",
  scope: "read",
  summary: "List the approvals that wait. A page may be empty although there are more: follow the cursor.",
  query: z.strictObject({ cursor: z.string().optional() }),
  answers: {
    200: {
      description: "Approvals that wait, those of the oldest executions first.",
      schema: z.object({ approvals: z.array(waitingApproval), cursor: z.string().optional() }),
    },
  },
  handle: async ({ query: { cursor } }, { engine }) => {
    const page = await engine.list({ status: ["running", "paused"], limit: EXECUTIONS_A_PAGE }, cursor);
    const found: object[] = [];
    for (const execution of page.executions) for (const each of await approvalsOf(engine, execution)) found.push(each);
    const next = page.cursor === undefined ? {} : { cursor: page.cursor };
    return { kind: "json", status: 200, body: { approvals: found, ...next } };
  },
});

async function approvalsOf(engine: Engine, { id, workflow }: ListedExecution): Promise<readonly object[]> {
  const waiting = await engine.why(id);
  return waiting.flatMap(({ step, reason }) => {
    if (reason.kind !== "approval") return [];
    const { kind: _, ...question } = reason;
    return [{ execution: id, workflow, step, ...question }];
  });
}

export const APPROVAL_ROUTES: readonly ApiRoute[] = [approvals];
