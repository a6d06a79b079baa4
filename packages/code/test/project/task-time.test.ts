import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { EXECUTOR_DEFAULTS } from "../../src/config/executor-config.ts";
import { quick } from "../executor/memory-executor.ts";
import { CodeProject } from "./code-project.ts";

const config = quick(EXECUTOR_DEFAULTS);
const once = { ...config, retry: { ...config.retry, maxAttempts: 1 } };

function template(agent: string, rest = ""): string {
  return `name: timed\npolicies: { step: auto, workflow: auto }\n${rest}agent: worker\nagents: { worker: { command: ["${agent}"] } }\ntasks: [{ id: one, instructions: i }]\n`;
}

describe("the time of a task", () => {
  it("CODE-12 is told to the agent as its deadline", async () => {
    await using project = new CodeProject();
    project.git("checkout", "--quiet", "-b", "mine");
    const agent = project.agent("agent.sh", `echo "$SEGNO_DEADLINE" > '${project.root}/deadline'`);
    const before = Date.now();
    await (await project.start(template(agent))).result();
    const deadline = Date.parse(readFileSync(join(project.root, "deadline"), "utf8").trim());
    expect(deadline).toBeGreaterThan(before);
    expect(deadline).toBeLessThanOrEqual(Date.now() + config.scheduling.taskTimeoutMs);
  });

  it("CODE-9 that is up leaves a debug bundle beside the transcript", async () => {
    await using project = new CodeProject();
    const agent = project.agent("agent.sh", "echo half > half.txt\nsleep 600");
    const scheduling = { ...once.scheduling, taskTimeoutMs: 1000 };
    const handle = await project.start(template(agent), { ...once, scheduling });
    await expect(handle.result()).rejects.toThrow("the agent took too long");
    const file = join(project.folder, ".segno/sessions", `${handle.id}-one-1`, "debug.json");
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ result: { outcome: { kind: "timed-out" } } });
  });

  it("CODE-8 includes its set-up", async () => {
    await using project = new CodeProject();
    const agent = project.agent("agent.sh", `touch '${project.root}/began'`);
    const scheduling = { ...once.scheduling, taskTimeoutMs: 500 };
    const handle = await project.start(template(agent, 'setup: ["sleep 600"]\n'), { ...once, scheduling });
    await expect(handle.result()).rejects.toThrow("the task took too long");
    expect(existsSync(join(project.root, "began"))).toBe(false);
  });
});
