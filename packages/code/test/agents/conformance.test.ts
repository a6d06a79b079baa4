// The check of commands, with a command that keeps to the contract and several that do not.

import { describe, expect, it } from "vitest";
import { checkConformance, type ConformanceCheck } from "../../src/agents/conformance.ts";

const WORD = "word=$(grep -o 'word-[0-9a-f]*' | head -1)";
const WRITE = `${WORD}; echo "$word" > segno-conformance.txt`;

/** A command that prints is asked to end after its first output, so these times are not waited for. */
async function checkScript(script: string, options = {}): Promise<readonly ConformanceCheck[]> {
  const times = { timeoutMs: 100_000, termAfterMs: 100_000, graceMs: 100 };
  return await checkConformance(["sh", "-c", script], { ...times, ...options });
}

async function failuresOf(script: string, options = {}): Promise<readonly string[]> {
  return (await checkScript(script, options)).filter(({ passed }) => !passed).map(({ name }) => name);
}

describe("the check of a command", () => {
  it("CODE-12 passes a command that keeps to the contract", async () => {
    const script = `${WRITE}; echo '{"status":"succeeded"}' > "$SEGNO_RESULT_FILE"; echo done`;
    const checks = await checkScript(script);
    expect(checks.filter(({ passed }) => !passed)).toEqual([]);
    expect(checks.map(({ name }) => name)).toEqual([
      "starts",
      "ends by itself",
      "exits with 0",
      "reads the prompt from standard input",
      "changes the file that it is asked to change",
      "writes a valid result file, or none",
      "leaves no process behind",
      "writes only to its workspace",
      "ends on SIGTERM",
    ]);
  });

  it.each([
    ["exits with another code", `${WRITE}; exit 3`, ["exits with 0"]],
    [
      "reads the prompt from the context file",
      'grep -o "SEGNO_CONFORMANCE_WORD" "$SEGNO_CONTEXT_FILE" | head -1 > segno-conformance.txt',
      ["reads the prompt from standard input"],
    ],
    ["does nothing", "true", ["reads the prompt from standard input", "changes the file that it is asked to change"]],
    [
      "writes an invalid result",
      `${WRITE}; echo '{"status":"great"}' > "$SEGNO_RESULT_FILE"`,
      ["writes a valid result file, or none"],
    ],
    ["leaves a process behind", `${WRITE}; setsid sleep 1000 >&- 2>&- &`, ["leaves no process behind"]],
    ["writes beside its workspace", `${WRITE}; echo x > ../other.txt`, ["writes only to its workspace"]],
    [
      "changes the checkout of the user",
      `${WRITE}; echo x >> ../repository/README.md`,
      ["writes only to its workspace"],
    ],
    ["changes the configuration of git", `${WRITE}; git config alias.x '!x'`, ["writes only to its workspace"]],
  ])("CODE-12 finds a command that %s", async (_, script, failures) => {
    expect(await failuresOf(script)).toEqual(failures);
  });

  it("CODE-12 finds a command that ignores SIGTERM", async () => {
    const script = `trap '' TERM; ${WRITE}; test $SEGNO_TASK_ATTEMPT = 1 || { echo started; sleep 1000; sleep 1000; }`;
    expect(await failuresOf(script)).toEqual(["ends on SIGTERM"]);
  });

  it("CODE-12 passes a command that ends on SIGTERM", async () => {
    const script = `${WRITE}; test $SEGNO_TASK_ATTEMPT = 1 || { echo started; sleep 1000; }`;
    expect(await failuresOf(script, { graceMs: 60_000 })).toEqual([]);
  });

  it("CODE-12 finds a command that does not end", async () => {
    const checks = await failuresOf(`${WRITE}; echo x; sleep 1000`, { timeoutMs: 1000, graceMs: 60_000 });
    expect(checks).toContain("ends by itself");
    expect(checks).toContain("exits with 0");
  });

  it("CODE-12 ends with the first check if the command cannot be started", async () => {
    const checks = await checkConformance(["segno-no-such-program"]);
    expect(checks).toEqual([{ name: "starts", passed: false, detail: "there is no program `segno-no-such-program`" }]);
  });

  it("CODE-12 refuses a command without a program", async () => {
    await expect(checkConformance([])).rejects.toMatchObject({ code: "CONFIGURATION_INVALID" });
  });
});
