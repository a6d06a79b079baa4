import { describe, expect, it } from "vitest";
import { toFailure, toOutput, useProcessFixture } from "./process-fixture.ts";

const fixture = useProcessFixture();

describe("a script", () => {
  it("returns its output without trailing newlines", async () => {
    const outcome = await fixture.current.run("echo one; echo two; echo; echo oh >&2");
    expect(toOutput(outcome)).toEqual({ exitCode: 0, stdout: "one\ntwo", stderr: "oh" });
  });

  it("ends at the first failing command", async () => {
    const { attempt } = fixture.current.startScript("echo before; false; echo after");
    expect(toFailure(await attempt.ended).code).toBe("COMMAND_FAILED");
    expect(attempt.bytes("stdout").toString()).toBe("before\n");
  });

  it("may begin with a hyphen", async () => {
    fixture.current.file("-tool", "#!/bin/sh\necho called\n");
    const outcome = await fixture.current.run("-tool", { env: { PATH: fixture.current.folder } });
    expect(toOutput(outcome)).toMatchObject({ stdout: "called" });
  });

  it("runs in the runner's working directory", async () => {
    expect(toOutput(await fixture.current.run("pwd"))).toMatchObject({ stdout: fixture.current.folder });
  });
});

describe("a program with arguments", () => {
  it("gets them unchanged, without a shell", async () => {
    const outcome = await fixture.current.exec(["printf", "%s|", "$HOME", "a b", "; echo x", "", 7, true]);
    expect(toOutput(outcome)).toMatchObject({ stdout: "$HOME|a b|; echo x||7|true|" });
  });

  it("is searched for in its own PATH", async () => {
    fixture.current.file("own-tool", "#!/bin/sh\necho found\n");
    const outcome = await fixture.current.exec(["own-tool"], {
      env: { PATH: `${fixture.current.folder}:/bin:/usr/bin` },
    });
    expect(toOutput(outcome)).toMatchObject({ stdout: "found" });
  });
});

describe("the output of a command", () => {
  it("is forwarded as it arrives, byte for byte, while the command runs", async () => {
    const { attempt, running } = fixture.current.startScript("echo oh >&2; printf 'a\\377\\000b\\n'; sleep 1000");
    await attempt.said(/b\n/u);
    expect(attempt.bytes("stdout")).toEqual(Buffer.from([0x61, 0xff, 0x00, 0x62, 0x0a]));
    running.abort(true, "enough");
    await attempt.isSettled;
    expect(attempt.bytes("stderr").toString()).toBe("oh\n");
  });
});

describe("exit codes", () => {
  it("FAIL-1 other than 0 are permanent, and the failure has the code and the last lines of stderr", async () => {
    const outcome = await fixture.current.run("echo start >&2; echo 'no such host' >&2; exit 3");
    expect(toFailure(outcome)).toEqual({
      class: "permanent",
      code: "COMMAND_FAILED",
      message: "the command ended with exit code 3: start\nno such host",
    });
  });

  it("FAIL-1 75 is retryable", async () => {
    expect(toFailure(await fixture.current.run("exit 75"))).toMatchObject({
      class: "transient",
      code: "COMMAND_FAILED",
    });
  });

  it("FAIL-1 in the retry policy are retryable", async () => {
    const outcome = await fixture.current.run("exit 9", { retriedExitCodes: [8, 9] });
    expect(toFailure(outcome)).toMatchObject({ class: "transient", code: "COMMAND_FAILED" });
  });

  it("of a shell are explained", async () => {
    expect(toFailure(await fixture.current.run("no-such-command-here")).message).toMatch(
      /127 \(from a shell: command not found/u,
    );
    expect(toFailure(await fixture.current.run("sh -c 'kill -9 $$'")).message).toMatch(/137 \(.* killed by SIGKILL\)/u);
    expect(toFailure(await fixture.current.run("echo x > /dev/stderr")).message).toContain("write `>&2`");
  });

  it("come with at most 500 characters, without terminal escapes", async () => {
    const outcome = await fixture.current.run(`printf '\\033[31m%s\\033[0m\\n' "$(printf '%0900d' 0)" >&2; exit 1`);
    const { message } = toFailure(outcome);
    expect(message).toBe(`the command ended with exit code 1: …${"0".repeat(499)}`);
  });
});

describe("an attempt", () => {
  it("does not end before it was started, and exits after it ended", async () => {
    const { attempt } = fixture.current.startScript("true");
    expect(attempt.calls).toEqual([]);
    await attempt.isSettled;
    expect(attempt.calls).toEqual(["end", "exited"]);
  });

  it("may be one of many: all end, and then the runner is idle", async () => {
    const runner = fixture.current.runner();
    const all = Array.from({ length: 40 }, (_, index) => fixture.current.startScript(`echo ${index}`, {}, runner));
    await runner.idle();
    expect(all.every(({ attempt }) => attempt.calls.join() === "end,exited")).toBe(true);
    const outputs = await Promise.all(all.map(({ attempt }) => attempt.ended));
    expect(outputs.map((outcome) => toOutput(outcome))).toMatchObject(all.map((_, index) => ({ stdout: `${index}` })));
    expect(runner.commitDelayTicks).toBe(0);
  });
});
