import { describe, expect, it } from "vitest";
import { failureIn, outputOf, workbench } from "./workbench.ts";

const bench = workbench();

describe("a script", () => {
  it("gives back what it wrote, without the line breaks at the end", async () => {
    const outcome = await bench.current.run("echo one; echo two; echo; echo oh >&2");
    expect(outputOf(outcome)).toEqual({ exitCode: 0, stdout: "one\ntwo", stderr: "oh" });
  });

  it("ends at the first command that fails", async () => {
    const { attempt } = bench.current.startScript("echo before; false; echo after");
    expect(failureIn(await attempt.ended).code).toBe("COMMAND_FAILED");
    expect(attempt.bytes("stdout").toString()).toBe("before\n");
  });

  it("may begin with a hyphen", async () => {
    bench.current.file("-tool", "#!/bin/sh\necho called\n");
    const outcome = await bench.current.run("-tool", { env: { PATH: bench.current.folder } });
    expect(outputOf(outcome)).toMatchObject({ stdout: "called" });
  });

  it("runs in the folder of the runner", async () => {
    expect(outputOf(await bench.current.run("pwd"))).toMatchObject({ stdout: bench.current.folder });
  });
});

describe("a program with arguments", () => {
  it("gets them as they are, without a shell", async () => {
    const outcome = await bench.current.exec(["printf", "%s|", "$HOME", "a b", "; echo x", "", 7, true]);
    expect(outputOf(outcome)).toMatchObject({ stdout: "$HOME|a b|; echo x||7|true|" });
  });

  it("is looked for where its own PATH says", async () => {
    bench.current.file("own-tool", "#!/bin/sh\necho found\n");
    const outcome = await bench.current.exec(["own-tool"], { env: { PATH: `${bench.current.folder}:/bin:/usr/bin` } });
    expect(outputOf(outcome)).toMatchObject({ stdout: "found" });
  });
});

describe("what a command writes", () => {
  it("is passed on as it comes, byte for byte, while it runs", async () => {
    const { attempt, running } = bench.current.startScript("echo oh >&2; printf 'a\\377\\000b\\n'; sleep 1000");
    await attempt.said(/b\n/u);
    expect(attempt.bytes("stdout")).toEqual(Buffer.from([0x61, 0xff, 0x00, 0x62, 0x0a]));
    running.abort(true, "enough");
    await attempt.isSettled;
    expect(attempt.bytes("stderr").toString()).toBe("oh\n");
  });
});

describe("exit codes", () => {
  it("FAIL-1 other than 0 are final, and the failure says the code and what was written last", async () => {
    const outcome = await bench.current.run("echo start >&2; echo 'no such host' >&2; exit 3");
    expect(failureIn(outcome)).toEqual({
      class: "permanent",
      code: "COMMAND_FAILED",
      message: "the command ended with exit code 3: start\nno such host",
    });
  });

  it("FAIL-1 75 is worth another try", async () => {
    expect(failureIn(await bench.current.run("exit 75"))).toMatchObject({ class: "transient", code: "COMMAND_FAILED" });
  });

  it("FAIL-1 those that the policy lists are worth another try", async () => {
    const outcome = await bench.current.run("exit 9", { retriedExitCodes: [8, 9] });
    expect(failureIn(outcome)).toMatchObject({ class: "transient", code: "COMMAND_FAILED" });
  });

  it("of a shell are explained", async () => {
    expect(failureIn(await bench.current.run("no-such-command-here")).message).toMatch(
      /127 \(of a shell: there is no/u,
    );
    expect(failureIn(await bench.current.run("sh -c 'kill -9 $$'")).message).toMatch(/137 \(.* ended by SIGKILL\)/u);
    expect(failureIn(await bench.current.run("echo x > /dev/stderr")).message).toContain("write `>&2`");
  });

  it("come with at most 500 characters, without escapes that a terminal would obey", async () => {
    const outcome = await bench.current.run(`printf '\\033[31m%s\\033[0m\\n' "$(printf '%0900d' 0)" >&2; exit 1`);
    const { message } = failureIn(outcome);
    expect(message).toBe(`the command ended with exit code 1: …${"0".repeat(499)}`);
  });
});

describe("an attempt", () => {
  it("does not end before it was started, and settles after it ended", async () => {
    const { attempt } = bench.current.startScript("true");
    expect(attempt.told).toEqual([]);
    await attempt.isSettled;
    expect(attempt.told).toEqual(["end", "settled"]);
  });

  it("of many is one of many: all end, and the runner is idle then", async () => {
    const runner = bench.current.runner();
    const all = Array.from({ length: 40 }, (_, index) => bench.current.startScript(`echo ${index}`, {}, runner));
    await runner.idle();
    expect(all.every(({ attempt }) => attempt.told.join() === "end,settled")).toBe(true);
    const outputs = await Promise.all(all.map(({ attempt }) => attempt.ended));
    expect(outputs.map((outcome) => outputOf(outcome))).toMatchObject(all.map((_, index) => ({ stdout: `${index}` })));
    expect(runner.commitDelayTicks).toBe(0);
  });
});
