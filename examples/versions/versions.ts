// examples/versions/versions.ts
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Engine, waitForSignal, workflow, type BuiltWorkflow } from "segno";

const file = join(mkdtempSync(join(tmpdir(), "segno-versions-")), "segno.db");

const first = workflow("order", { version: "1" })
  .step("paid", waitForSignal("paid"))
  .step("ship", { dependsOn: ["paid"] }, () => "shipped by the first version")
  .output(({ outputs }) => outputs.ship);

// The second version renames `ship` and has a further step.
const second = workflow("order", { version: "2" })
  .step("paid", waitForSignal("paid"))
  .step("invoice", { dependsOn: ["paid"] }, () => "printed")
  .step("deliver", { dependsOn: ["invoice"] }, () => "delivered by the second version")
  .output(({ outputs }) => outputs.deliver);

/** Opens an engine as a deployment does, sends the signal, and waits until the execution ends or is parked. */
async function deploy(day: string, workflows: readonly BuiltWorkflow[]): Promise<void> {
  await using engine = await Engine.open({ file, workflows });
  const old = await engine.get("order-1");
  await old.signal("paid", null, { id: "payment-1" });
  for await (const { kind } of old.events()) if (kind === "execution.parked" && !workflows.includes(first)) break;
  const { status, reason } = await old.status();
  console.log(`${day}:`, status, status === "completed" ? await old.result() : reason);
}

{
  await using engine = await Engine.open({ file, workflows: [first] });
  await engine.start(first, null, { id: "order-1" });
}
await deploy("tuesday", [second]);
await deploy("wednesday", [first, second]);
