// A command that behaves as its first argument says, as coding agents do, well or badly.

import { execFileSync, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const env = process.env as Readonly<Record<string, string>>;
const [, , behaviour = "edit", argument = ""] = process.argv;

function print(value: unknown): void {
  process.stdout.write(`${typeof value === "string" ? value : JSON.stringify({ segno: 1, ...(value as object) })}\n`);
}

function hang(): void {
  setInterval(() => {}, 1_000_000);
}

/** Starts a process that ignores SIGTERM, and tells its pid to the test. */
function fork(isDetached: boolean): void {
  const script = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1e6); process.send?.('ready')";
  const child = spawn(process.execPath, ["-e", script], {
    detached: isDetached,
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  child.once("message", () => {
    writeFileSync(join(env["SEGNO_CONTEXT_FILE"]!, "../child.pid"), String(child.pid));
    print("started");
    child.disconnect();
    child.unref();
    if (argument === "exit") process.exit(0);
    hang();
  });
}

const BEHAVIOURS: Readonly<Record<string, () => void>> = {
  edit: () => {
    const { task } = JSON.parse(readFileSync(env["SEGNO_CONTEXT_FILE"]!, "utf8")) as { task: { title: string } };
    writeFileSync("done.txt", `${task.title}\n`);
    print(`working in ${env["SEGNO_SESSION_ID"]}`);
  },
  echo: () => {
    process.stdin.pipe(process.stdout);
  },
  env: () => print({ type: "message", text: JSON.stringify(process.env) }),
  hang: () => {
    print("started");
    hang();
  },
  deaf: () => {
    process.on("SIGTERM", () => {});
    print("started");
    hang();
  },
  fork: () => fork(false),
  setsid: () => fork(true),
  spend: () => {
    print({ type: "usage", costUsd: 2, inputTokens: 10 });
    print({ type: "usage", costUsd: 1.5, outputTokens: 5 });
    if (argument === "hang") hang();
  },
  secret: () => print(`the key is ${argument}`),
  flood: () => {
    const piece = "x".repeat(1024 * 1024);
    const write = (left: number): void => {
      if (left === 0) process.stdout.write('\n{"segno":1,"type":"result","status":"succeeded","summary":"flooded"}\n');
      else process.stdout.write(piece, () => write(left - 1));
    };
    write(Number(argument));
  },
  garbage: () => process.stdout.write(Buffer.from([0xff, 0xfe, 0x0a, 0xc3])),
  exit: () => process.exit(Number(argument)),
  result: () => {
    print({ type: "result", status: "succeeded", summary: "all done" });
    hang();
  },
  file: () => {
    writeFileSync(env["SEGNO_RESULT_FILE"]!, argument);
    process.exit(1);
  },
  pipe: () => execFileSync("/bin/sh", ["-c", 'mkfifo "$SEGNO_RESULT_FILE"']),
  stderr: () => {
    process.stderr.write(`${argument || "a warning"}\n`);
    process.exitCode = argument === "" ? 0 : 1;
  },
};

BEHAVIOURS[behaviour]!();
