import { RateLimitError, stepId } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { openTestEngine } from "../../src/testing/test-engine.ts";

const STEP = { id: stepId("call"), action: { kind: "agent", agent: "service" } } as const;

describe("an agent that meets a rate limit", () => {
  it("FAIL-2 is tried again without using up attempts, also if the step has only one", async () => {
    const attempts: number[] = [];
    const service = (_: unknown, { attempt }: { readonly attempt: number }): string => {
      attempts.push(attempt);
      if (attempts.length <= 5) throw new RateLimitError("busy", 60_000);
      return "done";
    };
    await using test = await openTestEngine({ agents: { service } });
    const startedAt = test.now;
    const handle = await test.start({ name: "limits", steps: [{ ...STEP, retry: { attempts: 1 } }] } as never);
    await test.advance("10m");
    expect(await handle.status()).toMatchObject({ status: "completed" });
    expect(attempts).toEqual([1, 1, 1, 1, 1, 1]);
    expect((await test.engine.list()).executions[0]!.updatedAt - startedAt).toBe(300_000);
  });

  it("FAIL-3 waits at least a second, so that the journal does not fill", async () => {
    let calls = 0;
    const service = (): never => {
      calls++;
      throw new RateLimitError("busy", 0);
    };
    await using test = await openTestEngine({ agents: { service } });
    await test.start({ name: "limits", steps: [STEP] });
    await test.advance("10s");
    expect(calls).toBeLessThanOrEqual(11);
  });

  it("FAIL-2 counts the attempts that fail otherwise", async () => {
    let calls = 0;
    const service = (): never => {
      calls++;
      throw calls === 2 ? new RateLimitError("busy", 1000) : new Error("broken");
    };
    await using test = await openTestEngine({ agents: { service } });
    const handle = await test.start({ name: "limits", steps: [STEP] });
    await test.advance("1h");
    expect(await handle.status()).toMatchObject({ status: "failed" });
    expect(calls).toBe(4);
  });
});
