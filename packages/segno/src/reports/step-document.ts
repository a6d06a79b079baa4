// A step as `segno show <id> <step> --json` prints it: the same as the report, with whole values.

import { stepJson } from "../progress/execution-json.ts";
import type { FollowedExecution } from "../progress/followed-execution.ts";
import type { ShownValue } from "../progress/shown-value.ts";
import type { ShownAttempt } from "../progress/step-attempts.ts";
import type { ShownCall, StepInspection } from "../progress/step-inspection.ts";
import { withCommand, withoutProcess } from "./waiting-report.ts";

export function stepDocument(inspection: StepInspection, execution: FollowedExecution, orphaned: boolean): object {
  const { step, input, action, output, outputOf, attempts, calls, artifacts, reasons, inside, log } = inspection;
  const waiting = (orphaned ? reasons.map(withoutProcess) : reasons).map(withCommand);
  return {
    ...stepJson(step, execution),
    ...valueFields("input", input),
    ...valueFields("action", action),
    ...valueFields("output", output),
    ...(outputOf === undefined ? {} : { outputOf }),
    attemptHistory: attempts.map(attemptJson),
    calls: calls.map(callJson),
    ...(artifacts.length === 0 ? {} : { artifacts: artifacts.map(({ path, hash, bytes }) => ({ path, hash, bytes })) }),
    ...(waiting.length === 0 ? {} : { waiting }),
    ...(inside === undefined ? {} : { inside }),
    log,
  };
}

function attemptJson(attempt: ShownAttempt): object {
  const { startedAt, endedAt } = attempt;
  return { ...attempt, ...(endedAt === undefined ? {} : { durationMs: endedAt - startedAt }) };
}

function callJson({ name, startedAt, completedAt, value }: ShownCall): object {
  return { name, startedAt, completedAt, durationMs: completedAt - startedAt, ...valueFields("value", value) };
}

/** A value that is not in the store is a field `inputMissing`, because `null` is a value. */
export function valueFields(name: string, shown: ShownValue | undefined): object {
  if (shown === undefined) return {};
  return shown.kind === "value" ? { [name]: shown.json } : { [`${name}Missing`]: shown.kind };
}
