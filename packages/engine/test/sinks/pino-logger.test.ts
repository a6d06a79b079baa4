// A real pino logger as the logger of an engine: its lines carry the ids of the events.

import { pino } from "pino";
import { expect, it } from "vitest";
import { Engine, providedSecrets, workflow } from "@segno/engine";

const work = workflow("work", { secrets: ["token"] }).step(
  "say",
  { retry: { attempts: 2, base: "1ms" } },
  ({ log, attempt }) => {
    log.info({ detail: 7 }, "with fields");
    log.warn("the token is a-long-secret");
    if (attempt === 1) throw new Error("once");
    return "done";
  },
);

it("EVENT-5 DATA-9 pino fits: lines of events and of steps have the ids of the events, and no secret", async () => {
  const lines: Record<string, unknown>[] = [];
  const logger = pino({ level: "debug" }, { write: (line: string) => void lines.push(JSON.parse(line) as never) });
  const engine = await Engine.open({
    store: "none",
    workflows: [work],
    logger,
    secrets: providedSecrets(() => "a-long-secret"),
  });
  const handle = await engine.start("work", undefined, { correlationId: "order-7" });
  await handle.result();
  const events: Record<string, unknown>[] = [];
  for await (const { executionId, workflow: name, correlationId, seq, step, attempt, kind } of handle.events())
    events.push({ executionId, workflow: name, correlationId, seq, step, attempt, msg: kind });
  await engine.close();
  const ofEvents = lines.filter(({ seq }) => seq !== undefined);
  expect(
    ofEvents.map(({ executionId, workflow: name, correlationId, seq, step, attempt, msg }) => ({
      executionId,
      workflow: name,
      correlationId,
      seq,
      step,
      attempt,
      msg,
    })),
  ).toEqual(events);
  expect(ofEvents.find(({ msg }) => msg === "step.retried")).toMatchObject({ level: 40, error: "once" });
  const ofSteps = lines.filter(({ msg }) => msg === "with fields");
  const ids = { executionId: handle.id, workflow: "work", correlationId: "order-7", step: "say", detail: 7, level: 30 };
  expect(ofSteps).toMatchObject([
    { ...ids, attempt: 1 },
    { ...ids, attempt: 2 },
  ]);
  expect(JSON.stringify(lines)).not.toContain("a-long-secret");
});
