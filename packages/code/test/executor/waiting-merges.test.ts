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

/** The merge of the first workflow lasts until the second workflow has merged. */
class MergesInTurn extends AutoMergePolicy {
  readonly #second = Promise.withResolvers<void>();

  override async mergeStep(request: StepMergeRequest): Promise<MergeResult> {
    if (request.workflowId === "first") await this.#second.promise;
    const result = await super.mergeStep(request);
    this.#second.resolve();
    return result;
  }
}

describe("merges of two workflows on one engine", () => {
  it("CODE-5 SCHED-4 do not wait for each other, because each workflow has a branch of its own", async () => {
    await using test: MemoryExecutor = new MemoryExecutor(
      { slow: writes(() => test, "slow.txt", "slow"), quick: writes(() => test, "quick.txt", "quick") },
      { ports: { stepMergePolicy: new MergesInTurn() } },
    );
    const { executor } = test;
    const run = async (id: string, task: string): Promise<boolean> =>
      (await executor.executeWorkflow(await executor.instantiateTemplate(independent(task), {}, id))).success;
    expect(await Promise.all([run("first", "slow"), run("second", "quick")])).toEqual([true, true]);
  });
});
