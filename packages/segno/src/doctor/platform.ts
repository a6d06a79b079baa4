// Checks the platform: Node.js, its SQLite and its threads, a shell, `/proc` and git.

import { thrownMessage } from "@segno/kernel/thrown-text";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

import { NODE_MAJOR_MIN } from "@segno/contract/node-version";
import { ok, problem, warning, type DoctorFinding } from "./finding.ts";

/** The first version that can try a merge without a working tree. */
const GIT_MIN: readonly [number, number] = [2, 38];
/** A program that starts at all starts within this time, also on a busy machine. */
const START_MS = 10_000;
const SHELL = process.platform === "win32" ? "sh" : "/bin/sh";

export function checkNode(version: string): DoctorFinding {
  const major = Number(version.split(".")[0]);
  return major >= NODE_MAJOR_MIN
    ? ok("node", `Node.js ${version}`)
    : problem(
        "node",
        `Node.js ${version} is too old`,
        `install Node.js ${NODE_MAJOR_MIN} or newer: https://nodejs.org`,
      );
}

export async function checkSqlite(): Promise<DoctorFinding> {
  try {
    const { DatabaseSync } = await import("node:sqlite");
    const database = new DatabaseSync(":memory:");
    const row = database.prepare("SELECT sqlite_version() AS version").get();
    database.close();
    return ok("sqlite", `SQLite ${String(row?.["version"])}, built into Node.js`);
  } catch (error) {
    const remedy = "use a Node.js that was built with SQLite, and remove --no-experimental-sqlite from NODE_OPTIONS";
    return problem("sqlite", `node:sqlite cannot be used: ${thrownMessage(error)}`, remedy);
  }
}

export async function checkThreads(): Promise<DoctorFinding> {
  try {
    await threadEnds();
    return ok("threads", "worker threads start");
  } catch (error) {
    const remedy =
      "steps with `thread: true` need them: allow more threads, or --allow-worker where Node.js is restricted";
    return problem("threads", `worker threads do not start: ${thrownMessage(error)}`, remedy);
  }
}

async function threadEnds(): Promise<void> {
  const { Worker } = await import("node:worker_threads");
  const worker = new Worker("", { eval: true });
  const overdue = setTimeout(() => void worker.terminate(), START_MS);
  try {
    const code = await new Promise<number>((settle, reject) => worker.once("exit", settle).once("error", reject));
    if (code !== 0) throw new Error(`one ended with ${code}`);
  } finally {
    clearTimeout(overdue);
  }
}

export function checkShell(shell: string = SHELL): DoctorFinding {
  const { status, stdout, error } = spawnSync(shell, ["-e", "-c", "--", "echo ready"], { timeout: START_MS });
  if (status === 0 && stdout.toString().trim() === "ready") return ok("shell", `${shell} runs scripts`);
  const reason = error === undefined ? `it ended with ${status ?? "a signal"}` : thrownMessage(error);
  return problem("shell", `${shell} does not run a script: ${reason}`, "install a POSIX shell; `run` steps need it");
}

/** Processes that have left the process group of their command are found by their environment, which Linux shows in `/proc`. */
export function checkProcesses(folder: string = "/proc"): DoctorFinding {
  const lost = "processes that a command leaves behind are found only in its process group";
  try {
    if (!readdirSync(folder).includes(String(process.pid))) throw new Error("it does not list this process");
    readFileSync(`${folder}/${process.pid}/environ`);
    return ok("processes", `${folder} is readable, so processes that commands leave behind are found`);
  } catch (error) {
    if (process.platform !== "linux") return ok("processes", `this is not Linux: ${lost}`);
    return warning("processes", `${folder} cannot be read (${thrownMessage(error)}): ${lost}`, `mount ${folder}`);
  }
}

/** The output of `git --version`; nothing without git. */
export function askGit(): string | undefined {
  const { status, stdout } = spawnSync("git", ["--version"], { timeout: START_MS });
  return status === 0 ? stdout.toString() : undefined;
}

export function checkGit(said: string | undefined): DoctorFinding {
  const needed = `code workflows need git ${GIT_MIN.join(".")} or newer`;
  if (said === undefined) return warning("git", "git was not found", `install it in a folder of PATH; ${needed}`);
  const [, version = "", major = "0", minor = "0"] = /((\d+)\.(\d+)\S*)/u.exec(said) ?? [];
  const isOld = Number(major) < GIT_MIN[0] || (Number(major) === GIT_MIN[0] && Number(minor) < GIT_MIN[1]);
  return isOld ? warning("git", `git ${version} is old`, needed) : ok("git", `git ${version}`);
}
