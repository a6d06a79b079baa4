import { POLICIES } from "./policies-subject.ts";
import { describeStepMerges } from "./step-merge-contract.ts";

for (const [name, tested] of POLICIES) describeStepMerges(`${name}, git`, tested);
