import { describe, expect, it } from "vitest";
import { AutoMergePolicy } from "../../src/merging/policies.ts";
import type { StepMergeRequest } from "../../src/merging/merge-policies.ts";
import type { MergeResult, MergeWait } from "../../src/model/merge-result.ts";
import { MemoryExecutor } from "./memory-executor.ts";
import { independent, writes } from "./memory-scripts.ts";

/** The merge of `slow` has to wait until `quick` has been merged. */
class WaitingMerges extends AutoMergePolicy {
  readonly landed: string[] = [];
  readonly #wait: MergeWait;

  constructor(wait: MergeWait) {
    super();
    this.#wait = wait;
  }

  override async mergeStep(request: StepMergeRequest): Promise<MergeResult> {
    const { id } = request.task;
    if (id === "slow" && !this.landed.includes("quick"))
      return { success: false, mergeId: request.mergeId, waitingFor: this.#wait };
    this.landed.push(id);
    return await super.mergeStep(request);
  }
}

describe("a merge that waits", () => {
  it.each<MergeWait>([
    { kind: "checks", retryAfterMs: 1000 },
    { kind: "checkout", message: "it has changes", retryAfterMs: 1000 },
  ])("CODE-5 SCHED-4 for $kind does not hold up the merges of others, and goes on by itself", async (wait) => {
    const policy = new WaitingMerges(wait);
    await using test: MemoryExecutor = new MemoryExecutor(
      { slow: writes(() => test, "slow.txt", "slow"), quick: writes(() => test, "quick.txt", "quick") },
      { ports: { stepMergePolicy: policy } },
    );
    const { executor } = test;
    await executor.executeWorkflow(await executor.instantiateTemplate(independent("slow", "quick"), {}));
    expect(policy.landed).toEqual(["quick", "slow"]);
    const types = test.events.events.map(({ type }) => type);
    expect(types.filter((type) => type === "error.detected" || type === "merge.failed")).toEqual([]);
  });
});
