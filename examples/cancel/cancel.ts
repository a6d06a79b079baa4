// A cancelled step gets an abort signal and has five seconds to clean up; then it is ended by force.

import { Engine, workflow } from "segno";

const work = workflow("work")
  .step("download", async ({ signal, log }) => {
    for (let part = 1; !signal.aborted; part++) await new Promise((resolve) => setTimeout(resolve, 10));
    log.info("the half-finished file is removed");
    signal.throwIfAborted();
  })
  .step("unpack", { dependsOn: ["download"] }, () => "never reached");

const engine = await Engine.open({ store: "none" });
const execution = await engine.start(work);
engine.onLog({}, (_, lines) => console.log(lines.map(({ step, text }) => `${step}: ${text}`).join("\n")));
await new Promise((resolve) => setTimeout(resolve, 50));

await execution.cancel({ reason: "somebody changed their mind" });
await execution.result().catch((error: Error) => console.log(error.message.replace(execution.id, "…")));
for (const { name, status } of (await execution.status()).steps) console.log(`${name} ${status}`);
await engine.close();
