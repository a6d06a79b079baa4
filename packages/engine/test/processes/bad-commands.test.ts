import { readFileSync } from "node:fs";
import { join } from "node:path";
import { VALUE_BYTES_MAX } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { outcomeOfSpawnError } from "../../src/runners/process/spawn-failure.ts";
import { toFailure, isAlive, toOutput, useProcessFixture } from "./process-fixture.ts";

const fixture = useProcessFixture();

describe("a command that cannot be started", () => {
  it("FAIL-1 is not found", async () => {
    expect(toFailure(await fixture.current.exec(["no-such-program", "x"]))).toEqual({
      class: "permanent",
      code: "COMMAND_NOT_FOUND",
      message: "there is no program `no-such-program`",
    });
  });

  it("FAIL-1 has no interpreter", async () => {
    fixture.current.file("tool", "#!/no/such/interpreter\n");
    const failure = toFailure(await fixture.current.exec(["./tool"]));
    expect(failure).toMatchObject({ class: "permanent", code: "COMMAND_NOT_FOUND" });
    expect(failure.message).toContain("interpreter");
  });

  it("FAIL-1 may not be executed", async () => {
    fixture.current.file("tool", "#!/bin/sh\n", 0o644);
    const expected = { class: "permanent", code: "COMMAND_NOT_EXECUTABLE" };
    expect(toFailure(await fixture.current.exec(["./tool"]))).toMatchObject(expected);
    expect(toFailure(await fixture.current.exec([fixture.current.folder]))).toMatchObject(expected);
  });

  it("FAIL-1 has a working directory that does not exist", async () => {
    const runner = fixture.current.runner({ cwd: join(fixture.current.folder, "missing") });
    const { attempt } = fixture.current.startScript("true", {}, runner);
    const failure = toFailure(await attempt.ended);
    expect(failure).toMatchObject({ class: "permanent", code: "COMMAND_FOLDER_MISSING" });
    expect(failure.message).toContain("the working directory of the command does not exist");
  });

  it("FAIL-1 is retryable if the system is short of a resource", () => {
    for (const code of ["EAGAIN", "EMFILE", "ENOMEM", "ETXTBSY"]) {
      const error = Object.assign(new Error(`spawn tool ${code}`), { code });
      const outcome = outcomeOfSpawnError({
        error,
        file: "tool",
        cwd: fixture.current.folder,
        maskText: (text) => text,
      });
      expect(toFailure(outcome)).toMatchObject({ class: "transient", code });
    }
  });

  it("exits without having run", async () => {
    const { attempt } = fixture.current.start({ action: { kind: "exec", argv: ["no-such-program"] } });
    await attempt.isSettled;
    expect(attempt.calls).toEqual(["end", "exited"]);
  });
});

describe("a command that is not valid", () => {
  const message = async (argv: readonly unknown[], env: Record<string, unknown> = {}): Promise<string> => {
    const failure = toFailure(await fixture.current.exec(argv as never, { env: env as never }));
    expect(failure).toMatchObject({ class: "permanent", code: "COMMAND_INVALID" });
    return failure.message;
  };

  it("FAIL-1 names no program", async () => {
    expect(await message([])).toBe("`exec` has no program");
    expect(await message([""])).toBe("`exec` has no program");
    expect(await message([null, "x"])).toBe("the program of `exec` is null, not text");
  });

  it("FAIL-1 has an argument that is not text", async () => {
    expect(await message(["echo", "a", ["b"]])).toBe("argument 2 of `exec` is a list, not text");
    expect(await message(["echo", { a: 1 }])).toBe("argument 1 of `exec` is an object, not text");
    expect(await message(["echo", "a\0b"])).toBe("argument 1 of `exec` holds a NUL character");
  });

  it("FAIL-1 has an environment value that is not text", async () => {
    expect(await message(["true"], { LIST: [1] })).toBe("LIST in `env` is not text, a number or a boolean");
    expect(await message(["true"], { "A=B": "x" })).toBe('"A=B" in `env` is not a valid name of a variable');
    expect(await message(["true"], { NUL: "a\0b" })).toBe("NUL in `env` holds a NUL character");
  });

  it("FAIL-1 is longer than the system allows", async () => {
    expect(await message(["echo", "x".repeat(4 * 1024 * 1024)])).toContain("longer than the system allows");
    const script = `echo ${"x".repeat(4 * 1024 * 1024)}`;
    expect(toFailure(await fixture.current.run(script)).code).toBe("COMMAND_INVALID");
    expect(toFailure(await fixture.current.run("echo a\0b")).message).toBe("the script holds a NUL character");
  });
});

describe("a command that writes", () => {
  it("1 GB needs no more memory than one that writes little, and keeps the end of it", async () => {
    let bytes = 0;
    let rssMax = 0;
    const rssBefore = process.memoryUsage.rss();
    const onChunk = (chunk: Uint8Array): void => {
      bytes += chunk.length;
      if (bytes % 64 === 0) rssMax = Math.max(rssMax, process.memoryUsage.rss());
    };
    const outcome = await fixture.current.run("yes segno | head -c 1073741824; echo last", { onChunk });
    const { stdout, truncated } = toOutput(outcome) as { stdout: string; truncated: boolean };
    expect(bytes).toBe(1_073_741_824 + 5);
    expect(rssMax - rssBefore).toBeLessThan(300 * 1024 * 1024);
    expect(truncated).toBe(true);
    expect(stdout).toMatch(/^segno\nsegno\n[^]*segno\nsegnlast$/u);
    expect(stdout.length).toBeGreaterThan(1024 * 1024 - 4096);
    expect(stdout.length).toBeLessThanOrEqual(1024 * 1024);
  });

  it("zeros on both streams still gives a value that can be stored", async () => {
    const outcome = await fixture.current.run("head -c 3000000 /dev/zero; head -c 3000000 /dev/zero >&2");
    const output = toOutput(outcome) as { stdout: string; truncated: boolean };
    expect(output.truncated).toBe(true);
    expect(output.stdout).toMatch(/^\0{100000,}$/u);
    expect(JSON.stringify(output).length).toBeLessThan(VALUE_BYTES_MAX);
  });

  it("binary gives replacement characters", async () => {
    expect(toOutput(await fixture.current.run("printf 'a\\376\\377b'"))).toMatchObject({ stdout: "a\ufffd\ufffdb" });
  });

  it("half a character gives a replacement character, two halves give one character", async () => {
    expect(toOutput(await fixture.current.run("printf '\\303'"))).toMatchObject({ stdout: "\ufffd" });
    expect(toOutput(await fixture.current.run("printf '\\303'; env printf '\\251'"))).toMatchObject({ stdout: "é" });
  });
});

describe("a command that behaves oddly", () => {
  it("has an empty stdin, and may close it", async () => {
    expect(toOutput(await fixture.current.exec(["cat"]))).toMatchObject({ stdout: "" });
    expect(toOutput(await fixture.current.run("exec <&-; echo on"))).toMatchObject({ stdout: "on" });
  });

  it("closes its output and continues: it ends when it exits", async () => {
    const outcome = await fixture.current.run("exec >&- 2>&-; sleep 0.02; exit 4");
    expect(toFailure(outcome).message).toBe("the command ended with exit code 4");
  });

  it("FAIL-1 is retryable if it ends by a signal that Segno did not send", async () => {
    expect(toFailure(await fixture.current.run("echo oh >&2; kill -KILL $$"))).toEqual({
      class: "transient",
      code: "COMMAND_KILLED",
      message: "the command was killed by SIGKILL, which Segno did not send: oh",
    });
  });

  it("forks and exits: the step ends, and the leftover process is ended too", async () => {
    const outcome = await fixture.current.run("sleep 1000 & echo $!");
    const { stdout } = toOutput(outcome) as { stdout: string };
    expect(await isAlive(Number(stdout))).toBe(false);
  });

  it("forks and exits: the leftover process gets SIGTERM first, and may clean up", async () => {
    const runner = fixture.current.runner({ graceMs: 60_000 });
    const child = "trap 'echo cleaned > notice; exit' TERM; echo ready > ready; while :; do sleep 0.01; done";
    const script = `mkfifo ready; sh -c "${child}" & read _ < ready`;
    const { attempt } = fixture.current.startScript(script, {}, runner);
    await attempt.isSettled;
    expect(readFileSync(join(fixture.current.folder, "notice"), "utf8")).toBe("cleaned\n");
  });

  it("forks a process that ignores SIGTERM: that is killed", async () => {
    const child = "trap '' TERM; echo ready > ready; exec sleep 1000";
    const outcome = await fixture.current.run(`mkfifo ready; sh -c "${child}" & read _ < ready; echo $!`);
    const { stdout } = toOutput(outcome) as { stdout: string };
    expect(await isAlive(Number(stdout))).toBe(false);
  });

  it("forks a process that leaves the group and closes its output: that is found by its marker", async () => {
    const outcome = await fixture.current.run("setsid sleep 1000 >/dev/null 2>&1 & echo $!");
    const { stdout } = toOutput(outcome) as { stdout: string };
    expect(await isAlive(Number(stdout))).toBe(false);
  });
});
