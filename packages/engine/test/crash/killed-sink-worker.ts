// The process that the kill test of sinks kills: it runs executions whose events go to a server.

import { Engine, workflow } from "../../src/index.ts";

export const EXECUTIONS = 30;

const work = workflow("work")
  .step("a", () => "a")
  .step("b", { dependsOn: ["a"] }, () => "b")
  .step("c", { dependsOn: ["b"] }, () => "c");

if (import.meta.filename === process.argv[1]) {
  const [, , file, url] = process.argv;
  const engine = await Engine.open({
    file: file!,
    workflows: [work],
    onFault: () => undefined,
    // A small queue, so that most events are read from the journal.
    sinks: [{ type: "http", name: "killed", url: url!, batchMs: 1, batchLines: 7, queueMax: 10 }],
  });
  process.stdout.write("open\n");
  for (let each = 0; each < EXECUTIONS; each++) {
    const id = `work-${each}`;
    const handle = await engine.get(id).catch(() => engine.start(work, null, { id }));
    // A step that was lost five times parks its execution until a person resumes it (FAIL-9).
    if ((await handle.status()).status === "parked") await handle.resume();
    await handle.result();
    process.stdout.write(`ended ${id}\n`);
  }
  process.stdout.write("all done\n");
  setInterval(() => undefined, 1000);
}
