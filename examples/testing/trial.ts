// examples/testing/trial.ts
import { agent, sleep, workflow } from "segno";
import { fail, openTestEngine, script, succeed } from "segno/testing";

const trial = workflow("trial")
  .step("week", sleep("7d"))
  .step("bill", { dependsOn: ["week"] }, agent<string>("bill"))
  .output(({ outputs }) => outputs.bill);

const bill = script([fail("the bank is busy"), succeed("nine euros")]);
await using test = await openTestEngine({ workflows: [trial], agents: { bill } });
const { id } = await test.start(trial);
await test.advance("3d");
await test.crash(); // the process dies, and another one continues
await test.advance("4d");
await test.advance("1s"); // the delay before the second attempt
console.log(await (await test.get(id)).result(), "after", bill.calls.length, "calls");
