// D5: a command comes from outside, and a command that spoils the journal would make it unreadable for good.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { step, workflow } from "../../test/properties/written-steps.ts";
import { readEvent } from "../journal/read-event.ts";
import type { Json } from "../model/json.ts";
import { contentHash, epochMs, executionId } from "../model/units.ts";
import { inlineValue } from "../model/value.ts";
import { compileOrThrow } from "../program/compile.ts";
import { advance } from "./advance.ts";
import type { Happening } from "./happening.ts";
import { createState, executionStatus, type State } from "../state/state.ts";
import type { StoredValues } from "./stored-values.ts";

const NO_STORED_VALUES: StoredValues = { value: () => undefined, checkSchema: () => [] };
const AT = epochMs(1000);

/** One step that waits for a vote. */
function waitingForApproval(): State {
  const ask = { id: "a" as never, action: { kind: "approve" } as never };
  const state = createState(compileOrThrow(workflow([step("b"), ask])), new Map());
  const created = { execution: executionId("e"), definition: contentHash("w"), seed: 1, correlationId: "e" };
  advance(state, { kind: "create", at: AT, input: inlineValue(null), ...created }, NO_STORED_VALUES);
  advance(state, { kind: "begin", at: AT }, NO_STORED_VALUES);
  return state;
}

const oddValue = fc.oneof(fc.double(), fc.integer(), fc.string(), fc.boolean(), fc.constantFrom(null, undefined));
const mostly = <Value>(good: fc.Arbitrary<Value>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 3, arbitrary: good }, oddValue);

const command: fc.Arbitrary<Happening> = fc.oneof(
  fc.record({
    kind: fc.constant("cancel"),
    mode: mostly(fc.constantFrom("abort", "drain")),
    reason: mostly(fc.string()),
    grace: mostly(fc.nat()),
    compensate: mostly(fc.boolean()),
  }),
  fc.record({ kind: fc.constantFrom("pause", "resume", "retry"), by: mostly(fc.string()) }),
  fc.record({ kind: fc.constant("park"), reason: mostly(fc.string()), step: mostly(fc.constant(0)) }),
  fc.record({ kind: fc.constant("signalled"), id: mostly(fc.string()), name: mostly(fc.string()), payload: oddValue }),
  fc.record({
    kind: fc.constant("voted"),
    step: fc.constant("a"),
    id: mostly(fc.string()),
    by: mostly(fc.string()),
    verdict: mostly(fc.constantFrom("approve", "reject", "changes")),
    comment: mostly(fc.string()),
  }),
) as unknown as fc.Arbitrary<Happening>;

describe("an invalid command", () => {
  it("JOURNAL-6 never makes a journal unreadable, whatever it contains", () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 4 }), (commands) => {
        const state = waitingForApproval();
        for (const each of commands) {
          const { events } = advance(state, { ...each, at: AT }, NO_STORED_VALUES);
          for (const event of events)
            expect(readEvent(JSON.parse(JSON.stringify(event)) as Json)).toMatchObject({ kind: "event" });
        }
      }),
    );
  });

  it("JOURNAL-6 is ignored with a reply, and the execution continues", () => {
    const state = waitingForApproval();
    const cancel = { kind: "cancel", at: AT, mode: "abort", reason: "r", grace: 1.5 as never } as const;
    const ignored = { kind: "ignored", reason: "unwritable", status: "running" };
    expect(advance(state, cancel, NO_STORED_VALUES)).toMatchObject({ reply: ignored, events: [], effects: [] });
    expect(executionStatus(state)).toBe("running");
    expect(advance(state, { ...cancel, grace: 1 as never }, NO_STORED_VALUES).reply).toEqual({ kind: "accepted" });
  });
});
