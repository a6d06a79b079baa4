import { LANDING_NAME } from "@segno/code";
import { describe, expect, it } from "vitest";
import { escalatedTask } from "./escalated-task.ts";

describe("the task of an escalation", () => {
  it.each([
    ["merge-a/escalation", "a"],
    ["more-tasks/merge-a/merge/escalation", "a"],
    ["merge-landing/escalation", "landing"],
    ["land/escalation", LANDING_NAME],
    ["merge-a", undefined],
  ])("CODE-7 at %s is %s", (step, task) => {
    expect(escalatedTask(step)).toBe(task);
  });
});
