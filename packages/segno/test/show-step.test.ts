// `segno show <id> <step>` and `--failed`: everything that the journal has about a step.

import { writeFile } from "node:fs/promises";
import { Engine, map, workflow, type EngineOptions } from "@segno/engine";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { CommandFixture } from "./command-fixture.ts";

const LARGE = "x".repeat(100_000);
const CONTROL = "\u001b[2Jclear\u202e\nnext";

const research = workflow<{ question: string }>("research")
  .step("ask", { retry: { attempts: 3, base: "1ms" } }, async ({ attempt, input, run, log }) => {
    const plan = await run("plan", () => ({ of: input.question }));
    await run("page", () => LARGE);
    for (let line = 1; line <= 6; line++) log.info(`attempt ${attempt} line ${line}`);
    const cause = new TypeError("fetch failed", {
      cause: Object.assign(new Error("connect refused"), { code: "ECONNREFUSED" }),
    });
    if (attempt < 3) throw new Error(`no answer to ${attempt}`, { cause });
    return { plan, text: CONTROL };
  })
  .output(({ outputs }) => outputs.ask.plan);

const nightly = workflow<readonly number[]>("nightly")
  .step(
    "rows",
    map(
      ({ input }) => input,
      ({ item }) => {
        if (item % 400 === 7) throw new Error(`row ${item} is\u0007 torn`);
        return item;
      },
      { label: "row-${ item }", tolerance: "100%", retry: { attempts: 1 } },
    ),
  )
  .output(({ outputs }) => outputs.rows.length);

/** The lines of steps are kept all the same. */
const logger: NonNullable<EngineOptions["logger"]> = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => logger,
};

const ROWS = Array.from({ length: 1000 }, (_, row) => row);

let shop: CommandFixture;
beforeAll(async () => {
  shop = await CommandFixture.open();
  await shop.run(["run", "failing.yaml", "--id", "failing"]);
  await using engine = await Engine.open({ file: shop.path(".segno/segno.db"), logger });
  await (await engine.start(research, { question: "why" }, { id: "research" })).result();
  await (await engine.start(nightly, ROWS, { id: "nightly" })).result();
  const torn = Array.from({ length: 62 }, () => 7);
  await (await engine.start(nightly, torn, { id: "torn" })).result();
});
afterAll(() => shop[Symbol.asyncDispose]());

interface StepDocument {
  readonly step: {
    readonly input: unknown;
    readonly output: unknown;
    readonly attemptHistory: readonly {
      readonly outcome: string;
      readonly startedAt: number;
      readonly endedAt: number;
    }[];
    readonly calls: readonly { readonly name: string; readonly value: unknown; readonly durationMs: number }[];
    readonly log: { readonly lines: readonly { readonly text: string }[]; readonly total: number };
  };
}

async function shown(...words: readonly string[]): Promise<string> {
  const run = await shop.run(["show", ...words]);
  expect(run, run.stderr).toMatchObject({ exitCode: 0, stderr: "" });
  return run.stdout;
}

describe("a step with retries", () => {
  it("FAIL-1 STATE-4 has its attempts, with the chain of causes of each failure", async () => {
    const text = await shown("research", "ask");
    expect(text).toMatch(
      /^ask succeeded in \S+\nstep of research research, started \S+Z, ended \S+Z, attempt 3 of 3\n/u,
    );
    expect(text).toMatch(/\ninput of the workflow\n\{\n {2}"question": "why"\n\}\n/u);
    expect(text).toMatch(
      /\n {2}1 {2}\S+Z – \S+Z {2}failed in \S+, next attempt due \S+Z\n {5}Error no answer to 1\n {7}at /u,
    );
    expect(text).toMatch(
      / {7}caused by TypeError fetch failed\n(?: {9}at .*\n)* {7}caused by ECONNREFUSED connect refused\n {9}at /u,
    );
    expect(text).toMatch(/\n {2}3 {2}\S+Z – \S+Z {2}succeeded in \S+\n/u);
  });

  it("STATE-14 has its recorded calls, one line each, and the end of its log", async () => {
    const text = await shown("research", "ask");
    expect(text).toMatch(/\nrecorded calls\n {2}plan {2}\S+Z +\S+ {2}\{"of":"why"\}\n {2}page {2}\S+Z +\S+ {2}"x+…\n/u);
    expect(text).toMatch(/\nlog \(last 10 of 18 lines\)\n/u);
    expect(text).not.toContain("attempt 2 line 2");
    expect(text).toMatch(/attempt 2 line 3\n[^]*attempt 3 line 6\nto print all: segno logs research ask\n$/u);
  });

  it("DATA-9 escapes control characters of values", async () => {
    const text = await shown("research", "ask");
    // oxlint-disable-next-line no-control-regex
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/u);
    expect(text).toContain(String.raw`"text": "\u001b[2Jclear\u202e\nnext"`);
  });

  it("has the same as JSON, with whole values", async () => {
    const { step } = await shop.json<StepDocument>("show", "research", "ask");
    expect(step).toMatchObject({ name: "ask", status: "succeeded", attempts: 3, input: { question: "why" } });
    expect(step.output).toEqual({ plan: { of: "why" }, text: CONTROL });
    expect(step.attemptHistory.map(({ outcome }) => outcome)).toEqual(["failed", "failed", "succeeded"]);
    expect(step.attemptHistory[0]).toMatchObject({
      failure: {
        message: "no answer to 1",
        stack: expect.stringContaining("show-step.test.ts"),
        cause: { code: "TypeError", cause: { code: "ECONNREFUSED" } },
      },
    });
    for (const { startedAt, endedAt } of step.attemptHistory) expect(endedAt).toBeGreaterThanOrEqual(startedAt);
    expect(step.calls.map(({ name, value }) => [name, value])).toEqual([
      ["plan", { of: "why" }],
      ["page", LARGE],
    ]);
    expect([step.log.total, step.log.lines.length]).toEqual([18, 10]);
  });
});

describe("a map", () => {
  it("STATE-9 of 1,000 items is folded to counts and the failed items", async () => {
    const text = await shown("nightly", "rows");
    expect(text).toContain("\ninside\n1,000 items: 997 succeeded, 3 failed\n");
    const failed = text.split("\n").filter((line) => line.startsWith("✗"));
    expect(failed).toEqual(
      [7, 407, 807].map((row) => String.raw`✗ rows/${row} (row-${row})  Error row ${row} is\u0007 torn`),
    );
    expect(text.split("\n").length).toBeLessThan(70);
    expect(await shop.json("show", "nightly", "rows")).toMatchObject({
      step: { input: ROWS, inside: { items: 1000, counts: { succeeded: 997, failed: 3 }, failed: { length: 3 } } },
    });
  });

  it("lists at most twenty failed items", async () => {
    const text = await shown("torn", "rows");
    expect(text.split("\n").filter((line) => line.startsWith("✗"))).toHaveLength(20);
    expect(text).toContain("  and 42 more that failed; to print all: segno show torn rows --json\n");
  });
});

describe("--failed", () => {
  it("has only the steps that failed, each in detail", async () => {
    const text = await shown("nightly", "--failed");
    expect(text.match(/^\S+ \(row-\d+\) failed/gmu)).toEqual(
      [7, 407, 807].map((row) => `rows/${row} (row-${row}) failed`),
    );
    expect(text).toContain('input\n{\n  "item": 407,\n  "index": 407\n}\n');
    const document = await shop.json<{ steps: readonly object[] }>("show", "nightly", "--failed");
    expect(document).toMatchObject({ failed: 3, status: "completed", steps: { length: 3 } });
    expect(document.steps[1]).toMatchObject({ name: "rows/407", label: "row-407", input: { item: 407, index: 407 } });
  });

  it("is bounded, and says how many are left out", async () => {
    const text = await shown("torn", "--failed");
    expect(text.match(/^attempts$/gmu)).toHaveLength(20);
    expect(text).toMatch(/\nand 42 more that failed; to list them: segno show torn\n$/u);
    expect(await shop.json("show", "torn", "--failed")).toMatchObject({ failed: 62, steps: { length: 20 } });
  });

  it("has a failure without an attempt, and says so if no step failed", async () => {
    const text = await shown("failing", "--failed");
    expect(text).toContain("\nfailure\nSIGNAL_TIMEOUT the signal `go` did not arrive in time\n");
    expect(await shown("research", "--failed")).toBe("no step failed\n");
  });
});

describe("a step that has not ended", () => {
  it("SCHED-7 says what it waits for, and for how long it runs", async () => {
    const endless = shop.start(["run", "endless.yaml", "--id", "endless", "--db", "waits.db"]);
    await endless.reports(/gate waits/u);
    expect(await shown("endless", "gate", "--db", "waits.db")).toMatch(
      /^gate suspended for \d+s\n.*\n.*the signal `never`/u,
    );
    expect(await shown("endless", "after", "--db", "waits.db")).toMatch(/^after waiting\n.*\n.*`gate`/u);
    endless.send("SIGTERM");
    await endless.ended;
    const chatty = shop.start(["run", "chatty.yaml", "--id", "chatty", "--db", "runs.db"]);
    await chatty.reports(/hello/u);
    const text = await shown("chatty", "gate", "--db", "runs.db");
    expect(text).toMatch(/^gate running for \d+s\n/u);
    expect(text).toMatch(/\nattempts\n {2}1 {2}\S+Z {2}running for \d+s\n/u);
    chatty.send("SIGKILL");
    await chatty.ended;
    expect(await shown("chatty", "gate", "--db", "runs.db")).toMatch(/^gate lost\n[^]*\n {2}1 {2}\S+Z {2}lost\n/u);
  });
});

describe("the execution", () => {
  it("has its input, cut to some lines, and whole as JSON", async () => {
    expect(await shown("research")).toMatch(/\ninput\n\{\n {2}"question": "why"\n\}\n\noutput\n/u);
    expect(await shown("nightly")).toMatch(
      /\ninput\n\[\n( {2}\d+,\n){11}… 990 more lines; to print all: segno show nightly --json\n/u,
    );
    expect(await shop.json("show", "nightly")).toMatchObject({ input: ROWS, output: 1000 });
  });
});

describe("a step that is not there, or an option too many", () => {
  it("STEP_UNKNOWN comes with the name that was meant", async () => {
    const run = await shop.run(["show", "research", "asks"]);
    expect(run).toMatchObject({ exitCode: 5, stdout: "", stderr: expect.stringContaining("did you mean `ask`?") });
  });

  it.each([[["ask", "--failed"]], [["ask", "--output", "ask"]], [["--failed", "--output", "ask"]]])(
    "%j is refused",
    async (words) => {
      const run = await shop.run(["show", "research", ...words]);
      expect(run).toMatchObject({
        exitCode: 2,
        stdout: "",
        stderr: expect.stringContaining("cannot be used together"),
      });
    },
  );
});

describe("removed payloads", () => {
  it("DATA-11 are named, and everything else is shown", async () => {
    {
      await using engine = await Engine.open({ file: shop.path("removed.db"), logger });
      await (await engine.start(research, { question: "why" }, { id: "gone" })).result();
    }
    {
      await using engine = await Engine.open({ file: shop.path("removed.db"), logger });
      await engine.removePayloads("gone");
    }
    const text = await shown("gone", "ask", "--db", "removed.db");
    expect(text).toContain("\ninput of the workflow\n(removed from the store)\n\noutput\n(removed from the store)\n");
    expect(text).toMatch(/\n {2}plan {2}\S+Z +\S+ {2}\(removed from the store\)\n/u);
    expect(text).toContain("Error no answer to 1\n");
    const { step } = await shop.json<StepDocument>("show", "gone", "ask", "--db", "removed.db");
    expect(step).toMatchObject({ inputMissing: "removed", outputMissing: "removed", log: { total: 0 } });
    expect(step.calls[0]).toMatchObject({ name: "plan", valueMissing: "removed" });
    expect(await shown("gone", "--db", "removed.db")).toContain("output\n(removed from the store)\n");
  });
});

it("DATA-1 a secret in the input of a step is hidden", async () => {
  await writeFile(
    shop.path("secret.yaml"),
    'name: secret\nsteps: [{ id: say, run: "true", input: { key: "${ secrets.API_TOKEN }", name: x } }]\n',
  );
  const environment = { API_TOKEN: "correct-horse" };
  await shop.run(["run", "secret.yaml", "--id", "secret"], { environment });
  const text = await shown("secret", "say");
  expect(text).toContain('input\n{\n  "key": "***",\n  "name": "x"\n}\n');
});
