// examples/sleep/sleep.ts
import { sleep, sleepUntil, workflow } from "segno";
import { openTestEngine } from "segno/testing";

const trial = workflow<{ ends: string }>("trial")
  .step("welcome", () => console.log("welcome"))
  .step("a-week", { dependsOn: ["welcome"] }, sleep("7d"))
  .step("tip", { dependsOn: ["a-week"] }, () => console.log("have you seen the other rooms?"))
  .step("end", { dependsOn: ["welcome"] }, sleepUntil("${ input.ends }"))
  .step("bill", { dependsOn: ["tip", "end"] }, () => console.log("that will be nine euros"));

// A test engine has virtual time: weeks pass at once.
await using test = await openTestEngine();
const ends = new Date(test.now + 30 * 24 * 60 * 60 * 1000).toISOString();
const execution = await test.start(trial, { ends });
for (const week of [1, 2, 3, 4, 5]) {
  await test.advance("7d");
  console.log("week", week, (await execution.status()).status);
}
