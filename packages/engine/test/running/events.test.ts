// The events of executions with real processes: event kinds, subscribers, and one log line per event.

import { describe, expect, it } from "vitest";
import type { WatchEvent } from "../../src/index.ts";
import { readHistory } from "../engine/sample-flow.ts";
import { contract, ending, useFixture, pollUntil } from "./fixture.ts";

const fixture = useFixture();

const HEALS =
  "name: heals\nsteps:\n  - { id: a, run: '[ \"$SEGNO_ATTEMPT\" = 2 ] || exit 75', retry: { attempts: 2, base: 1ms } }\n  - { id: b, run: 'true', when: '`false`' }\noutput: ${ steps.a.output.exitCode }\n";

describe("events", () => {
  it("EVENT-1 match the events of the journal one to one, typed, with execution, step, attempt, correlation id, time and sequence", async () => {
    const engine = await fixture.current.open();
    const events: WatchEvent[] = [];
    engine.subscribe({}, (batch) => void events.push(...batch.events));
    const handle = await engine.start(contract(HEALS), null, { correlationId: "order-7" });
    await handle.result();
    await pollUntil(() => events.at(-1)?.kind === "execution.completed", "the last event");
    expect(
      events.map(({ kind, step, attempt }) => [kind, step, attempt].filter((part) => part !== undefined).join(" ")),
    ).toEqual(
      expect.arrayContaining([
        "execution.started",
        "step.started a 1",
        "step.retried a 1",
        "step.started a 2",
        "step.completed a 2",
        "step.skipped b",
        "execution.completed",
      ]),
    );
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(
      events.every(({ executionId, correlationId }) => executionId === handle.id && correlationId === "order-7"),
    ).toBe(true);
    const times = events.map(({ at }) => at);
    expect(times).toEqual(times.toSorted((one, other) => one - other));
    expect(await readHistory(handle)).toEqual(events);
  });

  it("EVENT-1 execution.completed carries a snapshot of the context", async () => {
    const engine = await fixture.current.open();
    const handle = await engine.start(
      contract(
        "name: f\nsteps:\n  - { id: a, run: echo found, output: { select: stdout, to: variables.word } }\noutput: 1\n",
      ),
    );
    await handle.result();
    const last = (await readHistory(handle)).at(-1)!;
    expect(last).toMatchObject({ kind: "execution.completed", event: { output: { kind: "inline", json: 1 } } });
    expect(JSON.stringify(last)).toContain('"word":"found"');
  });
});

describe("subscribers and log lines", () => {
  it("EVENT-2 a subscriber that throws or is slow affects no other, and one that unsubscribed gets nothing", async () => {
    const engine = await fixture.current.open();
    const heard: string[] = [];
    engine.subscribe({}, () => {
      throw new Error("a subscriber's own fault");
    });
    engine.subscribe({}, () => new Promise(() => undefined) as never);
    const leave = engine.subscribe({}, () => void heard.push("left"));
    leave();
    const handle = await engine.start(contract(HEALS));
    engine.subscribe({ executionId: handle.id }, ({ events }) => void heard.push(...events.map(({ kind }) => kind)));
    expect(await ending(handle)).toBe("completed");
    await pollUntil(() => heard.at(-1) === "execution.completed", "the last event");
    expect(heard).not.toContain("left");
    expect(fixture.current.faults.splice(0).length).toBeGreaterThan(0);
  });

  it("EVENT-5 an event is one log line with the ids that it belongs to", async () => {
    const engine = await fixture.current.open();
    const handle = await engine.start(contract(HEALS));
    await handle.result();
    const events = await readHistory(handle);
    const logged = (): readonly string[] => fixture.current.logger.lines.map(({ message }) => message);
    await pollUntil(() => logged().includes("execution.completed"), "the last line");
    expect(logged()).toEqual(events.map(({ kind }) => kind));
    expect(fixture.current.logger.lines.find(({ message }) => message === "step.retried")).toMatchObject({
      level: "warn",
      fields: {
        executionId: handle.id,
        workflow: "heals",
        step: "a",
        attempt: 1,
        code: "COMMAND_FAILED",
        class: "transient",
      },
    });
  });
});
