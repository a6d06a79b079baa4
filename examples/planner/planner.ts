// examples/planner/planner.ts
import { ActionExecutor, Engine, EpochConflictError, readAction } from "segno";
import { executeWorkflow, workflowDefinition, workflowStep } from "segno/planner";

const version = { major: 1, minor: 0, patch: 0 };
const definition = workflowDefinition({
  version,
  workflowMetadata: {
    version,
    workflowName: "import_orders",
    workflowVersion: version,
    description: "Fetches orders and adds them up",
    executionMode: "parallel",
  },
  executionGraph: { version },
});
const fetchOrders = workflowStep({ stepName: "Fetch", stepType: "effect" });
const addUp = workflowStep({ stepName: "Add up", stepType: "compute", dependsOn: [fetchOrders.stepId] });

// Planning runs nothing: it returns actions, each with its own lease and epoch 0.
const plan = await executeWorkflow(definition, [fetchOrders, addUp], crypto.randomUUID());
for (const { targetNodeType, epoch } of plan.actionsEmitted) console.log("planned for", targetNodeType, "epoch", epoch);

// Dispatching runs the actions: the plan is one execution, and each action is one step of it.
await using engine = await Engine.open({ store: "none" });
const executor = new ActionExecutor(engine, {
  NodeEffect: (action) => {
    console.log("running", action.payload["step_name"], "epoch", action.epoch);
    return [
      { order: 1, total: 20 },
      { order: 2, total: 22 },
    ];
  },
  NodeCompute: (action, _, results) => {
    console.log("running", action.payload["step_name"], "epoch", action.epoch);
    const [orders] = Object.values(results) as { total: number }[][];
    return orders!.reduce((sum, { total }) => sum + total, 0);
  },
});
const run = await executor.dispatch(plan);
const results = await run.result();
for (const action of plan.actionsEmitted) {
  const status = await executor.status(action);
  console.log(
    action.metadata["step_name"],
    status?.status,
    "epoch",
    status?.epoch,
    JSON.stringify(results[action.actionId]),
  );
}

// Dispatching the same plan again returns the same execution. An action that was completed is stale, and is refused.
console.log("the same execution:", (await executor.dispatch(plan)).id === run.id);
const arrived = readAction(JSON.parse(JSON.stringify(plan.actionsEmitted[0])));
try {
  await executor.execute(arrived);
} catch (error) {
  if (error instanceof EpochConflictError) console.log(`${error.code}: ${error.epoch} is behind ${error.currentEpoch}`);
}
