// Executions of the golden database that run when their process dies, and how each ends when another process continues.

import { durationMs, type Definition, type ExecutionStatus, type Json } from "@segno/kernel";
import { fail, hang, script, succeed } from "../../src/testing/script.ts";
import type { ExecutionCommand } from "../../src/inbox/command.ts";
import { step, type Agents } from "./scenario.ts";
import type { GoldenFixture } from "./fixture.ts";

export interface OpenWorkflow {
  readonly definition: Definition;
  readonly input?: Json;
  /** The commands after the start; the last may post a message that is never taken. */
  readonly wish?: (fixture: GoldenFixture, id: string) => Promise<unknown>;
  readonly posted?: ExecutionCommand;
  /** The status in the database, and the status at the end. */
  readonly stands: ExecutionStatus;
  readonly ends: ExecutionStatus;
}

const works = { action: { kind: "agent", agent: "works" } } as const;
const hangs = { action: { kind: "agent", agent: "hangs" } } as const;

const CHILD: Definition = { name: "open-child", steps: [step("inside", hangs)], output: "${ steps.inside.output }" };

const cancel = async (fixture: GoldenFixture, id: string): Promise<unknown> =>
  (await fixture.engine.get(id)).cancel({ graceMs: 3_600_000, reason: "too expensive" });

export const OPEN_WORKFLOWS: readonly OpenWorkflow[] = [
  {
    definition: { name: "open-running", steps: [step("first", works), step("second", { after: ["first"], ...hangs })] },
    stands: "running",
    ends: "completed",
  },
  {
    definition: {
      name: "open-backoff",
      steps: [step("fails", { retry: { attempts: 2, base: durationMs(7_200_000), max: durationMs(7_200_000) } })],
    },
    stands: "running",
    ends: "completed",
  },
  {
    definition: {
      name: "open-signal",
      steps: [
        step("wait", { action: { kind: "wait", on: "signal", signal: "go" } }),
        step("works", { after: ["wait"] }),
      ],
    },
    posted: { kind: "signal", id: "signal-1", name: "go", payload: { by: "ana" } },
    stands: "running",
    ends: "completed",
  },
  {
    definition: {
      name: "open-approval",
      steps: [step("ask", { action: { kind: "approve", expires: durationMs(86_400_000), onExpire: "approve" } })],
    },
    stands: "running",
    ends: "completed",
  },
  {
    definition: {
      name: "open-map",
      steps: [
        step("each", {
          action: { kind: "map", over: "input", steps: [step("a", works), step("b", { after: ["a"], ...hangs })] },
        }),
      ],
    },
    input: ["x", "y"],
    stands: "running",
    ends: "completed",
  },
  {
    definition: {
      name: "open-sub-workflow",
      steps: [step("call", { action: { kind: "workflow", workflow: "open-child" } })],
      output: "${ steps.call.output }",
    },
    stands: "running",
    ends: "completed",
  },
  {
    definition: { name: "open-paused", steps: [step("first", hangs), step("second", { after: ["first"], ...works })] },
    wish: async (fixture, id) => (await fixture.engine.get(id)).pause(),
    stands: "paused",
    ends: "completed",
  },
  {
    definition: { name: "open-parked", steps: [step("nobody")] },
    stands: "parked",
    ends: "completed",
  },
  {
    definition: { name: "open-cancelling", steps: [step("first", hangs), step("second", { after: ["first"] })] },
    wish: cancel,
    stands: "cancelling",
    ends: "cancelled",
  },
  {
    definition: {
      name: "open-failing",
      onFailure: "compensate",
      steps: [step("works", { compensate: hangs }), step("fails", { after: ["works"], retry: { attempts: 1 } })],
    },
    stands: "failing",
    ends: "failed",
  },
];

export const OPEN_DEFINITIONS: readonly Definition[] = [CHILD, ...OPEN_WORKFLOWS.map(({ definition }) => definition)];

/** No agent is registered as `nobody`, and no agent ends that could keep an execution open. */
export function openAgents(): Agents {
  return { works: script([succeed({ ok: true })]), hangs: script([hang()]), fails: script([fail("not yet")]) };
}

/** All agents succeed at once. */
export function closingAgents(): Agents {
  const done = async (): Promise<string> => "done";
  return { works: done, hangs: done, fails: done, nobody: done, second: done, after: done };
}
