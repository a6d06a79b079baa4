import { IN_MEMORY, ON_GIT, PARTLY_ON_GIT } from "./policies-subject.ts";
import { describeStepLandings, describeStepMerges } from "./step-merge-contract.ts";

for (const [name, tested] of IN_MEMORY) describeStepMerges(`${name}, in memory`, tested);
for (const [name, tested] of ON_GIT) describeStepMerges(`${name}, git`, tested);
for (const [name, tested] of PARTLY_ON_GIT) describeStepLandings(`${name}, git`, tested);
