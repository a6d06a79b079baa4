// Commands as steps: their outputs, exit codes and timeouts.

import { createHash } from "node:crypto";
import { canonicalJson } from "@segno/contract";
import { describe, expect, it } from "vitest";
import { readEvents } from "../engine/sample-flow.ts";
import { contract, ending, isAlive, useFixture, findStep } from "./fixture.ts";

const fixture = useFixture();

describe("the output of a command", () => {
  it("DATA-3 DATA-5 is captured and used by later steps, as argument, environment, input and condition", async () => {
    const handle = await fixture.current.start(
      `
name: captured
steps:
  - { id: build, run: 'printf "app-%s.tgz\\n\\n" "$TAG"; echo careful >&2', env: { TAG: "\${ input.tag }" } }
  - { id: argued, exec: [printf, "<%s>", "\${ steps.build.output.stdout }"], dependsOn: [build] }
  - { id: shouted, run: 'echo "$WHAT" | tr a-z A-Z', env: { WHAT: "\${ previous.stdout }" }, dependsOn: [argued] }
  - { id: taken, agent: take, input: { err: "\${ steps.build.output.stderr }" }, dependsOn: [build] }
  - { id: passed-over, run: "echo > ran", when: "steps.build.output.exitCode != \`0\`", dependsOn: [build] }
  - { id: counted, run: "printf '[1,2,3]'", output: { select: "stdout", to: variables.list } }
output: { shouted: "\${ steps.shouted.output }", taken: "\${ steps.taken.output }", list: "\${ variables.list }" }
`,
      { agents: { take: (input) => ({ got: input }) } },
      { tag: "v1" },
    );
    expect(await handle.result()).toEqual({
      shouted: { exitCode: 0, stdout: "<APP-V1.TGZ>", stderr: "" },
      taken: { got: { err: "careful" } },
      list: "[1,2,3]",
    });
    expect(fixture.current.has("ran")).toBe(false);
  });

  it("DATA-7 IDEM-4 identifies the attempt by ids and a token that retries share", async () => {
    const handle = await fixture.current.start(
      `
name: named
steps:
  - id: tell
    run: echo "$SEGNO_EXECUTION $SEGNO_STEP $SEGNO_ATTEMPT $SEGNO_TOKEN" >> told; exit $((76 - SEGNO_ATTEMPT))
    retry: { attempts: 2, base: 1ms }
`,
      {},
      { b: 1, a: "x" },
    );
    expect(await ending(handle)).toBe("failed");
    const inputHash = createHash("sha256")
      .update(canonicalJson({ a: "x", b: 1 }))
      .digest("hex");
    const token = createHash("sha256")
      .update(canonicalJson({ executionId: handle.id, inputHash, stepId: "tell", workflowId: "named" }))
      .digest("hex");
    expect(fixture.current.lines("told")).toEqual([`${handle.id} tell 1 ${token}`, `${handle.id} tell 2 ${token}`]);
  });
});

describe("an exit code", () => {
  const attemptsWith = async (script: string, retry: string): Promise<readonly [string, number, string]> => {
    const handle = await fixture.current.start(`
name: exits
steps:
  - { id: a, run: ${JSON.stringify(script)}, retry: ${retry} }
`);
    const status = await ending(handle);
    const { attempts, detail } = await findStep(handle, "a");
    return [status, attempts, detail.kind === "failure" ? `${detail.failure.class} ${detail.failure.code}` : ""];
  };

  it.each([
    ["0 succeeds", "exit 0", "3", ["completed", 1, ""]],
    ["3 is final, however many attempts there are", "exit 3", "3", ["failed", 1, "permanent COMMAND_FAILED"]],
    ["75 is worth another try", "exit 75", "{ attempts: 3, base: 1ms }", ["failed", 3, "transient COMMAND_FAILED"]],
    [
      "7 is, where the policy lists it",
      "exit $((9 - SEGNO_ATTEMPT))",
      "{ attempts: 9, base: 1ms, exitCodes: [8] }",
      ["failed", 2, "permanent COMMAND_FAILED"],
    ],
    [
      "that heals counts as success",
      '[ "$SEGNO_ATTEMPT" = 2 ] || exit 9',
      "{ attempts: 2, base: 1ms, exitCodes: [9] }",
      ["completed", 2, ""],
    ],
    [
      "is none where a signal ended it, and is worth another try",
      "kill -KILL $$",
      "{ attempts: 2, base: 1ms }",
      ["failed", 2, "transient COMMAND_KILLED"],
    ],
  ])("FAIL-2 %s", async (_, script, retry, expected) => {
    expect(await attemptsWith(script, retry)).toEqual(expected);
  });
});

/** Locked while any process of an attempt runs: children inherit open files. */
const LOCKED = "exec 9>>lock; flock -n 9 || echo two at once >> overlaps";

/** At least the command and one child. */
async function expectEnded(pids: readonly number[]): Promise<void> {
  expect(pids.length).toBeGreaterThanOrEqual(2);
  expect(await Promise.all(pids.map(isAlive))).toEqual(pids.map(() => false));
}

describe("a timeout", () => {
  // On a slow machine, several attempts may pass before one has written all its pids; only then does the next one
  // succeed.
  it("FAIL-4 CANCEL-2 kills the group and its children, fails the attempt, and the next attempt starts", async () => {
    const handle = await fixture.current.start(`
name: late
steps:
  - id: slow
    run: |
      ${LOCKED}
      [ ! -e written ] || exit 0
      sleep 1000 &
      kill -0 $! && echo $! >> pids
      echo $$ >> pids
      touch written
      wait
    timeout: 300ms
    retry: { attempts: 1000, base: 50ms, factor: 1, on: [timeout] }
`);
    await handle.result();
    const failures = (await readEvents(handle, "step.retried")).map(
      ({ failure }) => `${failure.class} ${failure.code}`,
    );
    expect([...new Set(failures)]).toEqual(["timeout ATTEMPT_TIMEOUT"]);
    expect((await findStep(handle, "slow")).attempts).toBe(failures.length + 1);
    await expectEnded(fixture.current.numbers("pids"));
    expect(fixture.current.text("overlaps")).toBe("");
  });

  it("FAIL-4 CANCEL-2 ends also processes that ignore SIGTERM or left the group, before the next attempt starts", async () => {
    const handle = await fixture.current.start(`
name: stubborn
steps:
  - id: slow
    run: |
      ${LOCKED}
      [ ! -e written ] || exit 0
      trap '' TERM
      setsid sh -c 'trap "" TERM; echo $$ >> pids; touch written; while :; do sleep 1; done' &
      echo $$ >> pids
      while :; do sleep 1; done
    timeout: 300ms
    retry: { attempts: 1000, base: 1ms, factor: 1, on: [timeout] }
grace: 100ms
`);
    await handle.result();
    expect(fixture.current.text("overlaps")).toBe("");
    await expectEnded(fixture.current.numbers("pids"));
  });
});

describe("a timeout that is final", () => {
  it("FAIL-2 is final if the policy does not retry timeouts", async () => {
    const handle = await fixture.current.start(`
name: once
steps:
  - { id: slow, exec: [sleep, "1000"], timeout: 50ms, retry: { attempts: 5, base: 1ms } }
`);
    await expect(handle.result()).rejects.toMatchObject({ failure: { class: "timeout", code: "ATTEMPT_TIMEOUT" } });
    expect((await findStep(handle, "slow")).attempts).toBe(1);
  });

  it("FAIL-4 of the workflow stops its commands", async () => {
    const engine = await fixture.current.open();
    // On a slow machine, the command takes longer to start.
    for (let timeoutMs = 100; !fixture.current.has("pid"); timeoutMs *= 2) {
      const handle = await engine.start(
        contract(
          `name: short\ntimeout: ${timeoutMs}ms\nsteps:\n  - { id: slow, run: 'echo $$ > pid; exec sleep 1000' }\n`,
        ),
      );
      await expect(handle.result()).rejects.toMatchObject({ failure: { code: "EXECUTION_TIMEOUT" } });
    }
    expect(await isAlive(Number(fixture.current.text("pid")))).toBe(false);
  });
});
