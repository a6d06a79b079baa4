// Rows of the journal: they are read, upcast or refused; and which parts of them are hashed.

import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../model/json.ts";
import { contentHash, epochMs, stepIndex } from "../model/units.ts";
import { findBreak, chainForm } from "./chain.ts";
import { EVENT_VERSION, type Event } from "./event.ts";
import { EVENT_KINDS, readEvent } from "./read-event.ts";
import { upcast, type Upcasting } from "./upcast.ts";

const INLINE = { kind: "inline", json: { a: 1 } };
const FAILURE = { class: "transient", code: "E", message: "m", cause: { class: "permanent", code: "F", message: "n" } };

/** A whole row of each kind, with every optional field. */
const ROWS: readonly JsonObject[] = [
  {
    kind: "execution.created",
    execution: "e",
    definition: "h",
    workflow: "w",
    input: INLINE,
    seed: 1,
    correlationId: "c",
    workflows: [{ workflow: "w@2", definition: "h" }],
  },
  { kind: "execution.validating" },
  { kind: "execution.started", deadline: 5 },
  { kind: "execution.paused", by: "ann" },
  { kind: "execution.parked", cause: "no-agent", reason: "r", step: 1 },
  { kind: "execution.resumed", by: "ann" },
  { kind: "execution.failing", failure: FAILURE, step: 0 },
  { kind: "execution.cancelling", mode: "abort", reason: "r", grace: 5000, compensate: false },
  { kind: "execution.compensating", steps: [2, 0], by: "ann" },
  { kind: "execution.completed", output: { kind: "gathered" } },
  { kind: "execution.failed", failure: FAILURE, step: 0, notUndone: [1] },
  { kind: "execution.cancelled", reason: "r", notUndone: [] },
  { kind: "execution.reopened", round: 2, deadline: 9, by: "ann" },
  {
    kind: "step.started",
    step: 0,
    attempt: 1,
    epoch: 1,
    call: INLINE,
    secrets: [{ path: ["env", 0], secret: "s" }],
    deadline: 4,
    worker: "here",
  },
  { kind: "step.completed", step: 0, output: { kind: "stored", hash: "h", bytes: 70_000 }, signal: "s" },
  { kind: "step.recorded", step: 0, epoch: 1, name: "plan#2", startedAt: 4, value: { kind: "inline", json: [1] } },
  { kind: "step.retried", step: 0, failure: FAILURE, dueAt: 9 },
  { kind: "step.failed", step: 0, failure: FAILURE },
  { kind: "step.skipped", step: 0, reason: { kind: "condition" } },
  { kind: "step.suspended", step: 0, wait: { kind: "approval", quorum: 1, by: ["ann"], message: "m", expiresAt: 3 } },
  { kind: "step.expanded", step: 0, children: { kind: "items", count: 2, items: { kind: "inline", json: [1, 2] } } },
  { kind: "step.repeated", step: 0, iteration: 1 },
  { kind: "step.failing", step: 0, failure: FAILURE, child: 1 },
  { kind: "step.overdue", step: 0, failure: FAILURE, forceAt: 9 },
  { kind: "step.lost", step: 0, reason: "r", graceful: true },
  { kind: "step.cancelled", step: 0, ended: "by-force", reason: "r", failure: FAILURE },
  { kind: "steps.skipped", steps: [[0, 2]], reason: { kind: "dependency-failed", dependency: 1 } },
  { kind: "steps.cancelled", steps: [[1, 1]], reason: "r" },
  { kind: "steps.cancelling", steps: [], reason: "r", forceAt: 9 },
  { kind: "signal.received", id: "i", name: "n", payload: INLINE },
  { kind: "signal.refused", id: "i", step: 0, failure: FAILURE },
  { kind: "approval.voted", step: 0, id: "i", by: "ann", verdict: "approve", comment: "c", answer: INLINE },
  { kind: "approval.refused", step: 0, id: "i", by: "ann", failure: FAILURE },
];

const row = (fields: JsonObject): JsonObject => ({ v: EVENT_VERSION, seq: 1, at: 1000, ...fields });

function message(fields: Json): string {
  const read = readEvent(fields);
  return read.kind === "event" ? "" : read.message;
}

/** A planted number of items would fill the memory. */
const PLANTED: readonly JsonObject[] = [
  { count: 3e7, items: { kind: "inline", json: [1] } },
  { count: 2, items: INLINE },
  { count: 3e7, items: { kind: "stored", hash: "h", bytes: 1e9 } },
];

it("JOURNAL-6 a map with another number of items than its list is refused", () => {
  for (const each of PLANTED) {
    const event = row({ kind: "step.expanded", step: 0, children: { kind: "items", ...each } });
    expect(readEvent(event).kind).toBe("unreadable");
  }
});

describe("a row", () => {
  it("JOURNAL-2 of every kind is read back as it was written", () => {
    expect(ROWS.map(({ kind }) => kind)).toEqual(EVENT_KINDS);
    for (const fields of ROWS) {
      const written = row(fields);
      expect(readEvent(JSON.parse(JSON.stringify(written)) as Json)).toEqual({ kind: "event", event: written });
    }
  });

  const OPTIONAL = new Set(
    "deadline by step secrets call worker signal notUndone failure comment answer workflows child graceful".split(" "),
  );

  it("JOURNAL-6 without one of its fields is refused, and the field is named", () => {
    for (const fields of ROWS) {
      for (const field of Object.keys(fields).filter((name) => name !== "kind")) {
        const { [field]: _, ...rest } = row(fields);
        const said = message(rest);
        if (said === "") expect(OPTIONAL, `${String(fields["kind"])} without ${field}`).toContain(field);
        else expect(said).toBe(`${String(fields["kind"])} has a wrong \`${field}\`: null`);
      }
    }
  });

  it("JOURNAL-6 with a field of the wrong type is refused, optional or not", () => {
    for (const fields of ROWS) {
      for (const field of Object.keys(fields).filter((name) => name !== "kind")) {
        const wrong = message(row({ ...fields, [field]: { surprise: true } }));
        expect(wrong).toBe(`${String(fields["kind"])} has a wrong \`${field}\`: {"surprise":true}`);
      }
    }
  });

  it("JOURNAL-6 that is damaged further down is refused too", () => {
    const damaged: JsonObject[] = [
      { kind: "step.completed", step: 0, output: { kind: "inline" } },
      { kind: "step.completed", step: 0, output: { kind: "stored", hash: "h" } },
      { kind: "step.completed", step: -1, output: INLINE },
      { kind: "step.failed", step: 0, failure: { class: "odd", code: "E", message: "m" } },
      { kind: "step.failed", step: 0, failure: { ...FAILURE, cause: { class: "permanent" } } },
      { kind: "step.suspended", step: 0, wait: { kind: "timer" } },
      { kind: "step.suspended", step: 0, wait: { kind: "forever" } },
      { kind: "step.skipped", step: 0, reason: { kind: "toString" } },
      { kind: "step.expanded", step: 0, children: { kind: "items", count: 1 } },
      { kind: "step.repeated", step: 0, iteration: -1 },
      { kind: "step.expanded", step: 0, children: { kind: "steps", steps: [{ action: {} }] } },
      { kind: "step.cancelled", step: 0, ended: "somehow", reason: "r" },
      { kind: "step.cancelled", step: 0, ended: "itself" },
      { kind: "execution.cancelling", mode: "softly", reason: "r", grace: 1, compensate: true },
      { kind: "steps.cancelled", steps: [[2, 1]], reason: "r" },
      { kind: "steps.cancelled", steps: [[0]], reason: "r" },
      { kind: "approval.voted", step: 0, id: "i", by: "a", verdict: "perhaps" },
    ];
    for (const fields of damaged) expect(message(row(fields)), JSON.stringify(fields)).toMatch(/ has a wrong `/u);
  });

  it("JOURNAL-6 that is not an event is refused", () => {
    for (const nothing of [null, 1, "x", [], true]) expect(message(nothing)).toBe("the row is not an object");
    expect(message(row({ kind: "step.exploded" }))).toBe('there is no event "step.exploded"');
    expect(message(row({ kind: "toString" }))).toBe('there is no event "toString"');
    expect(message(row({}))).toBe("there is no event null");
    expect(message({ v: 1, kind: "execution.validating", seq: 1.5, at: 1 })).toBe(
      "execution.validating has no sequence number or no time",
    );
    expect(message({ v: 1, kind: "execution.validating", seq: 1 })).toMatch(/no sequence number or no time/u);
  });
});

describe("versions", () => {
  /** Upcasters as for version 3: version 1 called the field `why`, version 2 had no `step`. */
  const upcasting: Upcasting = {
    version: 3,
    from: {
      1: ({ why, ...rest }) => ({ ...rest, reason: why! }),
      2: (old) => ({ ...old, step: 0 }),
    },
  };

  it("JOURNAL-4 an old row is raised version by version and then read like a new one", () => {
    const old = { v: 1, seq: 7, at: 9, kind: "step.lost", why: "gone" };
    expect(readEvent(old, upcasting)).toEqual({
      kind: "event",
      event: { v: 3, seq: 7, at: 9, kind: "step.lost", reason: "gone", step: 0 },
    });
    expect(readEvent({ v: 2, seq: 7, at: 9, kind: "step.lost", reason: "gone" }, upcasting).kind).toBe("event");
    expect(old).toEqual({ v: 1, seq: 7, at: 9, kind: "step.lost", why: "gone" });
  });

  it("JOURNAL-4 the result of an upcaster is checked like any row", () => {
    const broken: Upcasting = { version: 2, from: { 1: (old) => ({ ...old, reason: null }) } };
    expect(readEvent({ v: 1, seq: 1, at: 1, kind: "step.lost", step: 0, reason: "r" }, broken)).toEqual({
      kind: "unreadable",
      message: "step.lost has a wrong `reason`: null",
    });
  });

  it("JOURNAL-4 a newer version is refused, not guessed at", () => {
    const newer = { ...row({ kind: "execution.validating" }), v: EVENT_VERSION + 1 };
    expect(message(newer)).toBe("version 2 is not known here; this code reads up to 1");
    expect(upcast(newer, upcasting)).toMatchObject({ kind: "row", row: { v: 3 } });
    expect(upcast({ ...newer, v: 4 }, upcasting).kind).toBe("newer");
  });

  it("JOURNAL-4 a row without a version is refused", () => {
    for (const v of [null, "1", 1.5, true])
      expect(message({ ...row({ kind: "execution.validating" }), v })).toMatch(/version/u);
    expect(message({ kind: "execution.validating", seq: 1, at: 1 })).toMatch(/no version/u);
    expect(message({ ...row({ kind: "execution.validating" }), v: 0 })).toBe(
      "version 0 is not known here; this code reads up to 1",
    );
  });
});

describe("the chain", () => {
  const hashText = (json: Json): ReturnType<typeof contentHash> => contentHash(`hash of ${JSON.stringify(json)}`);
  const head = { v: 1, seq: 4, at: epochMs(10) } as const;

  it("JOURNAL-4 hashes a value by its hash, so that inline and stored are the same", () => {
    const event = (output: Extract<Event, { kind: "step.completed" }>["output"]): Event => ({
      ...head,
      kind: "step.completed",
      step: stepIndex(0),
      output,
    });
    const inline = chainForm(event({ kind: "inline", json: [1] }), hashText);
    expect(inline).toEqual({ ...head, kind: "step.completed", step: 0, output: "hash of [1]" });
    expect(chainForm(event({ kind: "stored", hash: hashText([1]), bytes: 3 }), hashText)).toEqual(inline);
    expect(chainForm(event({ kind: "inline", json: [2] }), hashText)).not.toEqual(inline);
    expect(chainForm(event({ kind: "gathered" }), hashText)["output"]).toBe("gathered");
  });

  it("JOURNAL-4 holds every value of every event, also those of children", () => {
    for (const fields of ROWS) {
      const form = JSON.stringify(chainForm(row(fields) as unknown as Event, hashText));
      expect(form).not.toContain('"kind":"inline"');
      expect(form).not.toContain('"kind":"stored"');
    }
    const children = chainForm(row(ROWS.find(({ kind }) => kind === "step.expanded")!) as unknown as Event, hashText)[
      "children"
    ];
    expect(children).toEqual({ kind: "items", count: 2, items: "hash of [1,2]" });
  });

  it("JOURNAL-4 every other field counts as it is", () => {
    const event: Event = { ...head, kind: "step.lost", step: stepIndex(1), reason: "gone" };
    expect(chainForm(event, hashText)).toEqual(event);
  });

  it("JOURNAL-4 a row follows the one before without a gap, and not before its time", () => {
    const event: Event = { ...head, kind: "execution.validating" };
    expect(findBreak({ seq: 3, at: 10 }, event)).toBeUndefined();
    expect(findBreak({ seq: 3, at: 9 }, event)).toBeUndefined();
    expect(findBreak({ seq: 2, at: 9 }, event)).toBe("sequence 4 follows 2");
    expect(findBreak({ seq: 4, at: 9 }, event)).toBe("sequence 4 follows 4");
    expect(findBreak({ seq: 3, at: 11 }, event)).toBe("time 10 follows 11");
  });
});

describe("a row with artifacts", () => {
  const completed = (artifact: JsonObject): string =>
    message(row({ kind: "step.completed", step: 0, output: INLINE, artifacts: [artifact] }));
  const artifact = { path: "dist/app", hash: "a".repeat(64), bytes: 3 };

  it("DATA-13 JOURNAL-6 is read if each of them has a path, a hash and a size, and refused otherwise", () => {
    expect(completed(artifact)).toBe("");
    const damaged = [{ hash: "../../etc/passwd" }, { hash: "a".repeat(63) }, { bytes: -1 }, { path: 1 }];
    for (const wrong of damaged) expect(completed({ ...artifact, ...wrong })).toMatch(/ has a wrong `artifacts`/u);
  });
});
