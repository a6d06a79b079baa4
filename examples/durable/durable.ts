// examples/durable/durable.ts
//
// Kill it at any moment and start it again: it continues where it was, and completed steps do not run again.
import { setTimeout as sleep } from "node:timers/promises";
import { Engine, workflow } from "segno";

const file = process.argv[2] ?? ".segno/durable.db";
const work = (name: string) => async (): Promise<string> => {
  console.log("working on", name);
  await sleep(100);
  return `${name} is done`;
};

const trip = workflow("trip")
  .step("flight", work("flight"))
  .step("hotel", { dependsOn: ["flight"] }, work("hotel"))
  .step("car", { dependsOn: ["flight"] }, work("car"))
  .step("insurance", { dependsOn: ["hotel", "car"] }, work("insurance"))
  .output(({ outputs }) => Object.values(outputs));

await using engine = await Engine.open({ file, workflows: [trip] });
const execution = await engine.get("trip-1").catch(() => engine.start(trip, null, { id: "trip-1" }));
console.log(await execution.result());
