// examples/engines/durable.ts
//
// Kill it at any moment and start it again: completed tasks do not run again, and the others read their outputs.
import { setTimeout as sleep } from "node:timers/promises";
import { createEngine, WorkflowDefinition } from "segno/engines";

const file = process.argv[2] ?? ".segno/engines.db";
const trip = new WorkflowDefinition("engines-trip");
const book = (name: string) => async (): Promise<string> => {
  console.log("booking", name);
  await sleep(100);
  return `${name} is booked`;
};
trip.addTask("flight", book("the flight"));
trip.addTask("hotel", book("the hotel"), { dependencies: ["flight"] });
trip.addTask("letter", ({ flight, hotel }) => ["Dear guest", flight, hotel], { dependencies: ["hotel"] });

await using engine = createEngine("sequential", { file });
const { tasks } = await engine.execute(trip, {}, { key: "trip-1" });
console.log(JSON.stringify(tasks.at(-1)?.output));
