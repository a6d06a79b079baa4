// examples/release/release.ts
import { Engine, workflow } from "segno";

const release = workflow<{ tag: string }>("release")
  .step("build", async ({ input }) => ({ path: `dist/${input.tag}` }))
  .step("test", { dependsOn: ["build"], retry: { attempts: 3, base: "100ms" } }, async ({ outputs, attempt }) => {
    if (attempt === 1) throw new Error("the network has the hiccups");
    return `${outputs.build.path} passed at attempt ${attempt}`;
  })
  .step("notes", { dependsOn: ["build"] }, async ({ outputs }) => `what is new in ${outputs.build.path}`)
  .output(({ outputs: { test, notes } }) => ({ test, notes }));

await using engine = await Engine.open(); // the journal is in .segno/
const execution = await engine.start(release, { tag: "v1" });
console.log(await execution.result());
