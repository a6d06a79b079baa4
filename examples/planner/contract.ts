// examples/planner/contract.ts
import { readFileSync } from "node:fs";
import { ActionExecutor, Engine, loadOnexContract, type ActionNode } from "segno";
import { NodeOrchestrator, orchestratorInput } from "segno/planner";

const file = "examples/onex/etl.yaml";
const { definition, steps } = loadOnexContract(readFileSync(file), { file });

const orchestrator = new NodeOrchestrator();
orchestrator.workflowDefinition = definition;
const output = await orchestrator.process(orchestratorInput({ workflowId: crypto.randomUUID(), steps }));
console.log(output.executionStatus, JSON.stringify(output.metrics));

const node: ActionNode = ({ targetNodeType, payload, dependencies }) => {
  console.log(targetNodeType, payload["step_name"], "after", dependencies.length);
};
await using engine = await Engine.open({ store: "none" });
const run = await new ActionExecutor(engine, { NodeCompute: node, NodeEffect: node }).dispatch(output);
await run.result();
console.log((await run.status()).status);
