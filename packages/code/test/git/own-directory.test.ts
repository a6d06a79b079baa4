import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { OwnDirectory } from "../../src/git/own-directory.ts";

let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "segno-own-"));
  vi.stubEnv("TMPDIR", folder);
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

/** A process that has a directory. */
async function startOwner(): Promise<{ readonly path: string; end(signal: NodeJS.Signals): Promise<void> }> {
  const source = new URL("../../src/git/own-directory.ts", import.meta.url).href;
  const program = `import { OwnDirectory } from ${JSON.stringify(source)};
    process.on("SIGTERM", () => process.exit());
    console.log((await OwnDirectory.create()).path); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    env: { ...process.env, TMPDIR: folder },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await once(child, "exit");
  };
  return { path: line.toString("utf8").trim(), end };
}

it("CODE-10 removes the directory of a process that was killed, and not that of one that lives", async () => {
  const [dead, alive] = [await startOwner(), await startOwner()];
  await dead.end("SIGKILL");
  expect(existsSync(dead.path)).toBe(true);
  const own = await OwnDirectory.create();
  const another = await OwnDirectory.create();
  expect(readdirSync(folder).toSorted()).toEqual(
    [alive.path, own.path, another.path].map((path) => path.slice(folder.length + 1)).toSorted(),
  );
  await another.remove();
  await another.remove();
  await own.remove();
  await alive.end("SIGTERM");
  expect(readdirSync(folder)).toEqual([]);
});

it("CODE-10 removes a directory whose owner was killed before it had locked it", async () => {
  mkdirSync(join(folder, "segno-own-git-early"));
  const own = await OwnDirectory.create();
  expect(readdirSync(folder)).toEqual([own.path.slice(folder.length + 1)]);
  await own.remove();
});

it("CODE-10 is removed while another process looks for abandoned directories", async () => {
  const source = new URL("../../src/git/own-directory.ts", import.meta.url).href;
  const program = `import { OwnDirectory } from ${JSON.stringify(source)};
    for (let round = 0; round < 300; round++) await (await OwnDirectory.create()).remove();`;
  const others = [1, 2].map(() =>
    spawn(process.execPath, ["--input-type=module", "--eval", program], {
      env: { ...process.env, TMPDIR: folder },
      stdio: ["ignore", "ignore", "inherit"],
    }),
  );
  const codes = await Promise.all(others.map(async (other) => (await once(other, "exit"))[0] as number));
  expect(codes).toEqual([0, 0]);
  expect(readdirSync(folder)).toEqual([]);
});
