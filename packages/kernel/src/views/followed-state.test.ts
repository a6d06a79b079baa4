import { describe, expect, it } from "vitest";
import { createState, FollowedState, type Definition, type Event } from "../index.ts";
import { compileOrThrow } from "../program/compile.ts";

const RUN = { kind: "run", script: "true" };
const DEFINITION = {
  name: "release",
  steps: [
    { id: "build", action: RUN, fallback: "each" },
    { id: "each", action: { kind: "map", over: "input", steps: [{ id: "one", action: RUN }] } },
  ],
} as unknown as Definition;
const NO = { class: "permanent", code: "COMMAND_FAILED", message: "no" };
const BUILD_FAILS = [
  { kind: "step.started", step: 0, attempt: 1, epoch: 1 },
  { kind: "step.failed", step: 0, failure: NO },
];
const ROUND_1 = [
  { kind: "execution.created", input: { kind: "inline", json: [1] } },
  { kind: "execution.validating" },
  { kind: "execution.started" },
  ...BUILD_FAILS,
  { kind: "step.expanded", step: 1, children: { kind: "items", count: 1, items: { kind: "inline", json: [1] } } },
  { kind: "step.started", step: 2, attempt: 1, epoch: 1 },
  { kind: "step.failed", step: 2, failure: NO },
  { kind: "step.failing", step: 1, failure: NO, child: 2 },
  { kind: "step.failed", step: 1, failure: NO },
  { kind: "execution.failing", step: 0, failure: NO },
  { kind: "execution.failed", step: 0, failure: NO },
];

function follow(bodies: readonly object[]): FollowedState {
  const followed = new FollowedState(createState(compileOrThrow(DEFINITION)));
  bodies.forEach((body, index) => followed.apply({ v: 1, seq: index + 1, at: index, ...body } as unknown as Event));
  return followed;
}

const numbers = ({ progress: { total, ended, items, itemsEnded } }: FollowedState): readonly number[] => [
  total + items,
  ended + itemsEnded,
];

describe("a followed state", () => {
  it("STATE-9 counts the steps of a scope that starts over as history until it opens again, also if it ends before", () => {
    const reopened = [...ROUND_1, { kind: "execution.reopened", round: 2 }];
    expect(numbers(follow(ROUND_1))).toEqual([3, 3]);
    const followed = follow(reopened);
    expect(numbers(followed)).toEqual([2, 0]);
    const rest = [...BUILD_FAILS, { kind: "step.failed", step: 1, failure: NO }];
    rest.forEach((body, index) => {
      const seq = reopened.length + index + 1;
      followed.apply({ v: 1, seq, at: seq, ...body } as unknown as Event);
    });
    expect(numbers(followed)).toEqual([2, 2]);
    expect(numbers(followed)).toEqual(numbers(follow([...reopened, ...rest])));
  });

  it("STATE-2 knows when its round began and when it ended", () => {
    const { state: ended } = follow(ROUND_1);
    expect([ended.beganAt, ended.endedAt]).toEqual([0, ROUND_1.length - 1]);
    const { state: again } = follow([...ROUND_1, { kind: "execution.reopened", round: 2 }]);
    expect([again.beganAt, again.endedAt]).toEqual([ROUND_1.length, undefined]);
  });

  it("CANCEL-4 has the active steps in the order in which they began, and none when they ended", () => {
    const begun = ROUND_1.slice(0, 7);
    const followed = follow(begun);
    expect([...followed.active]).toEqual([2]);
    const steps = [[2, 2]];
    const cancelling = { kind: "steps.cancelling", steps, reason: "enough", forceAt: 99 };
    expect([...follow([...begun, cancelling]).active]).toEqual([2]);
    const cancelled = { kind: "step.cancelled", step: 2, ended: "itself", reason: "enough" };
    expect([...follow([...begun, cancelling, cancelled]).active]).toEqual([]);
  });
});
