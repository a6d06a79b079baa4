import { describe, expect, it } from "vitest";

import { ScriptedEvents } from "../../test/scripted-events.ts";
import { LogOrderer } from "./log-orderer.ts";
import type { LoggedLine } from "./log-text.ts";

const line = (step: string, text: string, attempt: number = 1): LoggedLine => ({
  step,
  attempt,
  stream: "stdout",
  at: 0,
  text,
});

describe("the order of lines", () => {
  it("holds a line back until the attempt that wrote it has begun, and no longer", () => {
    const shown: string[] = [];
    const order = new LogOrderer((lines) => shown.push(...lines.map(({ text }) => text)));
    const story = new ScriptedEvents(["a", "b"]);
    story.begin();
    order.onEvent(story.start(0, 0));
    order.onLines([line("a", "a1"), line("b", "b1"), line("a", "a2"), line("b", "b2")]);
    expect(shown.splice(0)).toEqual(["a1", "a2"]);
    order.onEvent(story.start(1, 1));
    expect(shown.splice(0)).toEqual(["b1", "b2"]);
    order.onLines([line("b", "again", 2)]);
    order.onLines([line("b", "more")]);
    expect(shown.splice(0)).toEqual(["more"]);
    story.retry(2, 1, "no luck", 2);
    order.onEvent(story.start(2, 1, 2));
    expect(shown.splice(0)).toEqual(["again"]);
  });

  it("loses nothing when no start comes any more", () => {
    const shown: string[] = [];
    const order = new LogOrderer((lines) => shown.push(...lines.map(({ text }) => text)));
    order.onLines([line("a", "lonely")]);
    order.end();
    order.end();
    expect(shown).toEqual(["lonely"]);
  });
});
