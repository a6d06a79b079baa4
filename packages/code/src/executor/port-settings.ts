import type { CodePorts } from "../steps/code-ports.ts";
import type { CodeSettings } from "../steps/step-values.ts";

/** The settings that the ports decide, whatever the template says. */
export function portSettings({
  stepMergePolicy,
  workflowMergePolicy,
  vcsPort,
}: Pick<CodePorts, "stepMergePolicy" | "workflowMergePolicy" | "vcsPort">): Partial<CodeSettings> {
  const [step, workflow] = [stepMergePolicy.policyName, workflowMergePolicy.policyName];
  return {
    ...(step === undefined ? {} : { stepPolicy: step }),
    ...(workflow === undefined ? {} : { workflowPolicy: workflow }),
    ...(vcsPort.isForge ? { usesForge: true } : {}),
  };
}
