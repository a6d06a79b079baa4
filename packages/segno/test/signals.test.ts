// The effects of Ctrl-C, SIGTERM and a closed terminal.

import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { CommandFixture, type Listing } from "./command-fixture.ts";

let shop: CommandFixture;
beforeAll(async () => void (shop = await CommandFixture.open()));
afterAll(() => shop[Symbol.asyncDispose]());

/** Dead ones that nobody has collected do not count. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/mu.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

const readStatus = async (id: string): Promise<string> =>
  (await shop.json<{ readonly status: string }>("show", id)).status;

describe("run", () => {
  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("CANCEL-2 cancels on %s, says so, and ends with %i", async (signal, exitCode) => {
    const running = shop.start(["run", "endless.yaml", "--id", `by-${signal}`]);
    await running.reports(/gate waits/u);
    running.send(signal);
    const run = await running.ended;
    expect(run).toMatchObject({ exitCode, stdout: "" });
    expect(run.stderr).toContain("cancelling; steps have 5s to clean up; press Ctrl-C again to force\n");
    expect(run.stderr).toMatch(/endless cancelled in .*: 2 cancelled/u);
    expect(await readStatus(`by-${signal}`)).toBe("cancelled");
  });

  it("CANCEL-2 JOURNAL-3 is let go on SIGQUIT, with its commands ended", async () => {
    const running = shop.start(["run", "forked.yaml", "--id", "quit"]);
    await running.reports(/pids \d+ \d+/u);
    running.send("SIGQUIT");
    const { exitCode, stderr } = await running.ended;
    expect(exitCode).toBe(131);
    for (const [pid] of stderr.match(/pids \d+ \d+/u)![0].matchAll(/\d+/gu)) expect(isRunning(Number(pid))).toBe(false);
    expect(await readStatus("quit")).toBe("running");
    await shop.run(["cancel", "quit"]);
  });

  it("JOURNAL-3 is let go when the terminal is closed, and goes on with segno work", async () => {
    const running = shop.start(["run", "endless.yaml", "--id", "hung-up"]);
    await running.reports(/gate waits/u);
    running.send("SIGHUP");
    expect(await running.ended).toMatchObject({ exitCode: 129 });
    expect(await readStatus("hung-up")).toBe("running");
    const work = shop.start(["work"]);
    await work.reports(/▶ endless hung-up resumed\n/u);
    expect(await shop.run(["cancel", "hung-up"])).toMatchObject({ exitCode: 0, stdout: "hung-up is cancelled\n" });
    work.send("SIGINT");
    expect(await work.ended).toMatchObject({ exitCode: 130, stdout: "" });
  });

  it("is let go, not torn, when nobody reads its output any more", async () => {
    const run = await shop.run(["run", "lively.yaml", "--id", "unread", "--jsonl"], { closeEarly: true });
    expect(run).toMatchObject({ exitCode: 129, signal: null });
    expect(await readStatus("unread")).toBe("running");
    expect(await shop.run(["work", "--until-idle"])).toMatchObject({ exitCode: 0 });
    expect(await readStatus("unread")).toBe("completed");
  });
});

describe("who only looks", () => {
  it.each([["watch"], ["logs"]])("%s ends with Ctrl-C, and the execution does not", async (verb) => {
    const running = shop.start(["run", "chatty.yaml", "--id", `seen-by-${verb}`]);
    await running.reports(/hello/u);
    const looking = shop.start([verb, `seen-by-${verb}`, ...(verb === "logs" ? ["--follow"] : [])]);
    if (verb === "watch") await looking.reports(/gate/u);
    else await looking.prints(/hello/u);
    looking.send("SIGINT");
    expect(await looking.ended).toMatchObject({ exitCode: 130 });
    expect(await readStatus(`seen-by-${verb}`)).toBe("running");
    running.send("SIGTERM");
    expect(await running.ended).toMatchObject({ exitCode: 143 });
  });
});

describe("work", () => {
  it("lets go on Ctrl-C, and says that the rest goes on later", async () => {
    const working = shop.start(["work"]);
    await working.reports(/nothing to do; waiting \(Ctrl-C stops\)\n/u);
    working.send("SIGINT");
    const run = await working.ended;
    expect(run).toMatchObject({ exitCode: 130, stdout: "" });
    expect(run.stderr).toContain("to resume unfinished executions: segno work\n");
  });

  it("JOURNAL-3 goes on with what was left, and ends when there is nothing to do", async () => {
    const left = shop.start(["run", "quick.yaml", "--id", "left", "--db", "left.db"]);
    await left.reports(/started/u);
    left.send("SIGHUP");
    await left.ended;
    const work = await shop.run(["work", "--until-idle", "--db", "left.db"]);
    expect(work).toMatchObject({ exitCode: 0, stdout: "" });
    expect(work.stderr).toMatch(/nothing to do\n$/u);
    const { executions } = await shop.json<Listing>("list", "--db", "left.db");
    expect(executions).toMatchObject([{ id: "left", status: "completed" }]);
  });
});
