import type { Engine, WatchEvent, WatchHandler } from "@segno/engine";
import type { State } from "@segno/kernel";
import { describe, expect, it } from "vitest";

import { ID, ScriptedEvents } from "../../test/scripted-events.ts";
import type { FollowedExecution } from "../progress/followed-execution.ts";
import { createPalette } from "../terminal/palette.ts";
import { ExecutionsMonitor } from "./executions-monitor.ts";
import { Labels } from "./labels.ts";
import { PlainView } from "./plain-view.ts";

/** An engine that has one journal and publishes what a test says. */
class ScriptedEngine {
  readonly reads: number[] = [];
  readonly lines: string[] = [];
  readonly ended: string[] = [];
  readonly monitor: ExecutionsMonitor;
  #handler: WatchHandler = () => undefined;

  constructor(foldJournal: (upTo: number) => Promise<State | undefined>) {
    const states = {
      fold: (_: string, upTo: number) => (this.reads.push(upTo), foldJournal(upTo)),
      initial: () => foldJournal(0),
    };
    const engine = {
      extensions: { states },
      subscribe: (_: object, handler: WatchHandler) => ((this.#handler = handler), () => undefined),
      onLog: () => () => undefined,
      onProgress: () => () => undefined,
    };
    const view = new PlainView({
      palette: createPalette(false),
      color: false,
      quiet: false,
      isShared: true,
      now: () => 0,
      write: (text) => this.lines.push(text),
    });
    view.close();
    this.monitor = new ExecutionsMonitor(engine as unknown as Engine, view, ({ status }) => this.ended.push(status));
  }

  async publish(events: readonly WatchEvent[], dropped: number = 0): Promise<void> {
    await this.#handler({ events, dropped });
  }
}

/** The events of an execution of one step, up to its end. */
function release(): readonly WatchEvent[] {
  const story = new ScriptedEvents(["build"]);
  return [
    ...story.begin(),
    story.start(100, 0),
    story.retry(200, 0, "busy", 300),
    story.start(300, 0, 2),
    story.succeed(1300, 0),
    story.tell(1300, { kind: "execution.completed", output: { kind: "inline", json: null } }),
  ];
}

function stateAfter(events: readonly WatchEvent[], upTo: number): State {
  const story = new ScriptedEvents(["build"]);
  for (const watched of events) if (watched.seq <= upTo) story.execution.apply(watched);
  return story.state;
}

describe("the monitor of all executions", () => {
  it("W1 shows an execution from its first event to its end without reading its journal", async () => {
    const events = release();
    const engine = new ScriptedEngine(async (upTo) => stateAfter(events, upTo));
    await engine.publish(events.slice(0, 4));
    await engine.publish(events.slice(4));
    expect(engine.lines).toEqual([
      `▶ release ${ID} started\n`,
      "▶ release build\n",
      "↻ release build attempt 1 of 3 failed: busy; again in 100ms\n",
      "▶ release build attempt 2 of 3\n",
      "✓ release build 1.2s, attempt 2 of 3\n",
    ]);
    expect([engine.reads, engine.ended]).toEqual([[], ["completed"]]);
  });

  it("W1 waits for events that are published and not delivered yet, also while it shows others", async () => {
    const events = release();
    const engine = new ScriptedEngine(async (upTo) => stateAfter(events, upTo));
    setImmediate(() => void engine.publish(events.slice(0, 4)).then(() => engine.publish(events.slice(4))));
    await engine.monitor.untilShown();
    expect(engine.ended).toEqual(["completed"]);
  });

  it("W2 reads the events from before, once, and shows only the later ones", async () => {
    const events = release();
    const engine = new ScriptedEngine(async (upTo) => stateAfter(events, upTo));
    await engine.publish(events.slice(5));
    expect(engine.reads).toEqual([5]);
    expect(engine.lines).toEqual(["▶ release build attempt 2 of 3\n", "✓ release build 1.2s, attempt 2 of 3\n"]);
  });

  it("W3 reads the journal again after dropped events", async () => {
    const events = release();
    const engine = new ScriptedEngine(async (upTo) => stateAfter(events, upTo));
    await engine.publish(events.slice(0, 4));
    engine.lines.length = 0;
    await engine.publish(events.slice(6), 2);
    expect([engine.reads, engine.ended]).toEqual([[6], ["completed"]]);
    expect(engine.lines).toEqual(["✓ release build 1.2s, attempt 2 of 3\n"]);
  });

  it("W1 a journal that could not be read is read again at the next event", async () => {
    const events = release();
    let isBroken = true;
    const engine = new ScriptedEngine(async (upTo) => {
      if (isBroken) throw new Error("the disk is away");
      return stateAfter(events, upTo);
    });
    await engine.publish(events.slice(5, 6));
    isBroken = false;
    await engine.publish(events.slice(6));
    expect([engine.reads, engine.ended]).toEqual([[5, 6], ["completed"]]);
  });
});

describe("the labels of executions", () => {
  it("W3 follow the object that knows the newest events, and count an execution once", () => {
    const [before, after]: readonly FollowedExecution[] = [1, 2].map(() => new ScriptedEvents(["a"]).execution);
    const labels = new Labels();
    labels.add(before!);
    labels.add(after!);
    expect([labels.executions[0] === after, labels.executions.length, labels.of(ID)]).toEqual([true, 1, "release"]);
  });
});
