// The model of a step in an ONEX contract. Ranges and defaults are those of the source; the reserved fields at the end are kept with
// any type (CONTRACT-5).

import type { Json } from "@segno/kernel";
import { ErrorAction, StepType } from "@segno/planner";
import type { z } from "zod";

import { oneOf, json, list, wholeNumber, boolean } from "../../models/zod-helpers.ts";
import { openMap, orNull, boundedText, uuidSchema, wholeNumberFrom } from "./open-map.ts";

export interface RawWorkflowStep {
  readonly correlation_id?: string;
  readonly step_id?: string;
  readonly step_name: string;
  readonly step_type: StepType;
  readonly timeout_ms?: number;
  readonly retry_count?: number;
  readonly enabled?: boolean;
  readonly skip_on_failure?: boolean;
  readonly continue_on_error?: boolean;
  readonly error_action?: ErrorAction;
  readonly max_memory_mb?: number | null;
  readonly max_cpu_percent?: number | null;
  readonly priority?: number;
  readonly order_index?: number;
  readonly depends_on?: readonly string[];
  readonly parallel_group?: string | null;
  readonly max_parallel_instances?: number;
  readonly compensation_action?: Json;
  readonly checkpoint_required?: Json;
  readonly idempotency_key?: Json;
  readonly condition?: Json;
}

const shape = {
  correlation_id: uuidSchema
    .meta({ description: "Identifies the step across operations; generated when absent." })
    .exactOptional(),
  step_id: uuidSchema
    .meta({ description: "The id that other steps depend on; generated when absent." })
    .exactOptional(),
  step_name: boundedText(1, 200).meta({ description: "For people; may repeat." }),
  step_type: oneOf(...Object.values(StepType)).meta({
    description: "Selects the type of the node that runs the action; `conditional` is reserved and refused.",
  }),
  timeout_ms: wholeNumber(100, 300_000).meta({ description: "Limits one attempt.", default: 30_000 }).exactOptional(),
  retry_count: wholeNumber(0, 10).meta({ description: "Attempts after the first.", default: 3 }).exactOptional(),
  enabled: boolean().meta({ description: "A disabled step counts as completed.", default: true }).exactOptional(),
  skip_on_failure: boolean()
    .meta({ description: "Skips the step when an earlier step failed.", default: false })
    .exactOptional(),
  continue_on_error: boolean()
    .meta({ description: "Advisory; `error_action` decides.", default: false })
    .exactOptional(),
  error_action: oneOf(...Object.values(ErrorAction))
    .meta({ description: "The effect of a failure on the workflow.", default: "stop" })
    .exactOptional(),
  max_memory_mb: orNull(wholeNumber(1, 32_768)).meta({ description: "Kept, without effect." }).exactOptional(),
  max_cpu_percent: orNull(wholeNumber(1, 100)).meta({ description: "Kept, without effect." }).exactOptional(),
  priority: wholeNumber(1, 1000)
    .meta({ description: "Steps with a higher number come first; an action has at most 10.", default: 100 })
    .exactOptional(),
  order_index: wholeNumberFrom(0).meta({ description: "Kept, without effect.", default: 0 }).exactOptional(),
  depends_on: list(uuidSchema, "a list of the UUIDs of steps")
    .meta({ description: "The `step_id`s of the steps that come before." })
    .exactOptional(),
  parallel_group: orNull(boundedText(0, 100)).meta({ description: "Kept, without effect." }).exactOptional(),
  max_parallel_instances: wholeNumber(1, 100)
    .meta({ description: "Kept, without effect.", default: 1 })
    .exactOptional(),
  compensation_action: json.meta({ description: "Reserved." }).exactOptional(),
  checkpoint_required: json.meta({ description: "Reserved.", default: false }).exactOptional(),
  idempotency_key: json.meta({ description: "Reserved." }).exactOptional(),
  condition: json.meta({ description: "Reserved: never evaluated as an expression." }).exactOptional(),
};

export const STEP_KEYS: readonly string[] = Object.keys(shape);

export const workflowStepSchema: z.ZodType<RawWorkflowStep> = openMap(
  shape,
  "a step: a map with `step_name` and `step_type`",
).meta({ id: "WorkflowStep" });
