// Schemas that several routes share.

import { EXECUTION_STATUSES } from "@segno/kernel";
import { z } from "zod";

/** Bodies are read as JSON before a schema sees them, so a check of every value again would only take time. */
export const json: z.ZodType = z.unknown().meta({ id: "Json", description: "Any JSON value." });
export const executionParams: z.ZodObject<{ id: z.ZodString }, z.core.$strict> = z.strictObject({
  id: z.string().min(1).max(255),
});
export const labels: z.ZodType<Record<string, string>> = z.record(z.string(), z.string());

export const problemSchema: z.ZodType = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.string(),
    problems: z.array(z.object({ detail: z.string(), pointer: z.string() })).optional(),
  })
  .meta({ id: "Problem", description: "ProblemDocument details (RFC 9457) with a stable code." });

const statusSchema: z.ZodType = z.enum([...EXECUTION_STATUSES]).meta({ id: "ExecutionStatus" });

const failureSchema: z.ZodType = z
  .looseObject({ class: z.string(), code: z.string(), message: z.string() })
  .meta({ id: "Failure" });

const stepSchema: z.ZodType = z
  .looseObject({ name: z.string(), status: z.string(), attempts: z.int(), place: z.int() })
  .meta({ id: "Step", description: "A step of an execution, with its status and its details." });

export const executionSchema: z.ZodType = z
  .looseObject({
    id: z.string(),
    workflow: z.string(),
    status: statusSchema,
    round: z.int(),
    seq: z.int().meta({ description: "The number of the last event." }),
    correlationId: z.string(),
    labels,
    priority: z.number(),
    createdAt: z.int(),
    endedAt: z.int().optional(),
    input: json.optional(),
    output: json.optional(),
    failure: failureSchema.optional(),
    reason: z.string().optional(),
    failedStep: z.string().optional(),
    steps: z.array(stepSchema),
  })
  .meta({ id: "Execution" });

export const listedSchema: z.ZodType = z
  .looseObject({ id: z.string(), workflow: z.string(), status: statusSchema, createdAt: z.int(), updatedAt: z.int() })
  .meta({ id: "ListedExecution" });

export const commandResultSchema: z.ZodType = z
  .looseObject({ kind: z.enum(["accepted", "posted", "ignored"]), reason: z.string().optional() })
  .meta({ id: "CommandResult", description: "Whether the command had an effect, and if not, why." });
