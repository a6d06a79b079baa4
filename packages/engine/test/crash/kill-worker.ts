// The process that the kill test kills: it continues unfinished executions in the file, starts executions until there
// are enough, and reports on stdout which results are durable.

import { stepId, type Definition } from "@segno/kernel";
import { Engine } from "../../src/index.ts";

export const EXECUTIONS = 12;
export const STEPS = 40;

const steps = Array.from({ length: STEPS }, (_, index) => ({
  id: stepId(`s${index}`),
  action: { kind: "agent", agent: "kill/work" } as const,
  retry: { attempts: 2, base: 1 as never },
  ...(index < 2 ? {} : { dependsOn: [{ step: stepId(`s${index - 2}`), on: "succeeded" as const }] }),
}));

const KILL: Definition = { name: "kill", steps, output: { last: "${ steps.s39.output }" } };

if (import.meta.filename === process.argv[1]) {
  const engine = await Engine.open({
    file: process.argv[2]!,
    workflows: [KILL],
    agents: { "kill/work": async (_, { step }) => `${step.id} done` },
    onFault: (error) => process.stdout.write(`fault ${String(error)}\n`),
  });
  engine.subscribe({}, ({ events }) => {
    for (const event of events) process.stdout.write(`durable ${event.executionId} ${event.seq}\n`);
  });
  // A step that was lost five times parks its execution until a person resumes it (FAIL-9). This loop resumes it.
  for (const { id } of (await engine.list({ status: ["parked"] })).executions) await (await engine.get(id)).resume();
  for (let index = 0; index < EXECUTIONS; index++) {
    const id = `kill-${index}`;
    const handle = await engine.get(id).catch(() => engine.start(KILL, null, { id }));
    process.stdout.write(`started ${id}\n`);
    if (index % 4 === 3) await handle.result();
  }
  for (let index = 0; index < EXECUTIONS; index++) await (await engine.get(`kill-${index}`)).result();
  process.stdout.write("all done\n");
  await engine.close();
}
