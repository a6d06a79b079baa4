import { IN_MEMORY, ON_GIT, PARTLY_ON_GIT } from "./policies-subject.ts";
import { describeWorkflowLandings, describeWorkflowMerges } from "./workflow-merge-contract.ts";

for (const [name, tested] of IN_MEMORY) describeWorkflowMerges(`${name}, in memory`, tested);
for (const [name, tested] of ON_GIT) describeWorkflowMerges(`${name}, git`, tested);
for (const [name, tested] of PARTLY_ON_GIT) describeWorkflowLandings(`${name}, git`, tested);
