import { describe, expect, it } from "vitest";
import { readCodeReport } from "../../src/project/task-report.ts";
import { CodeProject } from "./code-project.ts";

const report = (status: string, costUsd: number, inputTokens: number): string =>
  `echo '{"status":"${status}","usage":{"costUsd":${costUsd},"inputTokens":${inputTokens}}}' > "$SEGNO_RESULT_FILE"`;

describe("the usage of agents", () => {
  it("CODE-12 is that of all attempts, with those that failed, and of the fixes of the landing", async () => {
    await using project = new CodeProject();
    project.git("checkout", "--quiet", "-b", "mine");
    const attempts = `${project.root}/attempts`;
    const agent = project.agent(
      "agent.sh",
      [
        `if [ "$SEGNO_TASK_KIND" != task ]; then rm bad.txt; ${report("succeeded", 4, 1000)}; exit 0; fi`,
        `echo x >> '${attempts}'`,
        `if [ $(wc -l < '${attempts}') = 1 ]; then ${report("failed", 2, 100)}; exit 0; fi`,
        `echo bad > bad.txt; ${report("succeeded", 1, 10)}`,
      ].join("\n"),
    );
    const handle = await project.start(
      [
        "name: usage\npolicies: { step: auto, workflow: checks, checks: ['test ! -e bad.txt'] }",
        `agent: worker\nagents: { worker: { command: ["${agent}"] } }`,
        "tasks: [{ id: one, instructions: i, checks: [] }]\n",
      ].join("\n"),
    );
    await handle.result();
    const { usage, tasks } = await readCodeReport(handle);
    expect(tasks[0]!.usage).toEqual({ costUsd: 3, inputTokens: 110 });
    expect(usage).toEqual({ costUsd: 7, inputTokens: 1110 });
  });

  it("CODE-12 includes a session that asked a person, once", async () => {
    await using project = new CodeProject();
    project.git("checkout", "--quiet", "-b", "mine");
    const asked = `${project.root}/asked`;
    const question = `echo '{"status":"needs_input","question":"Which?","usage":{"costUsd":0.3,"outputTokens":7}}' > "$SEGNO_RESULT_FILE"`;
    const agent = project.agent(
      "agent.sh",
      `if [ ! -e '${asked}' ]; then touch '${asked}'; ${question}; exit 0; fi\necho 1 > b.txt; ${report("succeeded", 0.1, 5)}`,
    );
    const handle = await project.start(
      `name: asks\npolicies: { step: auto, workflow: auto }\nagent: worker\nagents: { worker: { command: ["${agent}"] } }\ntasks: [{ id: one, instructions: i }]\n`,
    );
    const isWaiting = async (): Promise<boolean> =>
      (await handle.status()).steps.some(
        ({ name, status }) => name === "session-one/question" && status === "suspended",
      );
    await expect.poll(isWaiting).toBe(true);
    expect((await readCodeReport(handle)).usage).toEqual({ costUsd: 0.3, outputTokens: 7 });
    await handle.approve("session-one/question", { by: "someone" });
    await handle.result();
    expect((await readCodeReport(handle)).usage).toEqual({ costUsd: 0.4, inputTokens: 5, outputTokens: 7 });
  });
});
