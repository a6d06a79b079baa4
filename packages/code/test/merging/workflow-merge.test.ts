import { POLICIES } from "./policies-subject.ts";
import { describeWorkflowMerges } from "./workflow-merge-contract.ts";

for (const [name, tested] of POLICIES) describeWorkflowMerges(`${name}, git`, tested);
