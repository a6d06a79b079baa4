// examples/engines/engines.ts
import { createEngine, WorkflowDefinition } from "segno/engines";

const report = new WorkflowDefinition("report");
report.addTask("orders", () => [120, 80, 45]);
report.addTask("primes", { module: new URL("primes.ts", import.meta.url), export: "countPrimes" });
report.addTask("total", ({ orders }) => (orders as number[]).reduce((sum, order) => sum + order, 0), {
  dependencies: ["orders"],
});
report.addTask("alarm", () => "far too much", {
  dependencies: ["total"],
  condition: (context) => Number(context["total"]) > Number(context["limit"]),
});
let calls = 0;
const send = (): string => {
  if (++calls < 3) throw new Error("the line is busy");
  return `sent at call ${calls}`;
};
report.addTask("send", send, { dependencies: ["total", "alarm"], retries: 2, retryDelay: 0.01, timeout: 5 });

for (const batch of report.getExecutionOrder()) console.log("batch:", batch.map(({ name }) => name).join(", "));

await using engine = createEngine("parallel", { maxWorkers: 2 });
const result = await engine.execute(report, { limit: 1000, below: 100_000 });
console.log("success:", result.success);
for (const { name, state, output } of result.tasks) console.log(`${name}: ${state}`, JSON.stringify(output));
