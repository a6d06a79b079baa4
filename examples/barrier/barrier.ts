// examples/barrier/barrier.ts
import { barrier, Engine, workflow } from "segno";

const rehearsal = workflow("rehearsal")
  .step("strings", () => console.log("the strings are tuned"))
  .step("winds", { dependsOn: ["strings"] }, () => console.log("the winds are tuned"))
  .step("tuned", { dependsOn: ["strings", "winds"] }, barrier())
  .step("overture", { dependsOn: ["tuned"] }, () => console.log("the overture is played"))
  .step("bar", { dependsOn: ["tuned"] }, () => console.log("the bar is closed"));

await using engine = await Engine.open({ store: "none" });
const execution = await engine.start(rehearsal);
await execution.result();
