// A project that has installed the published packages: an empty folder outside of the repository, in which npm has installed
// tarballs.
//
//   P1. Everything comes from this checkout: our packages are built and packed, their dependencies are packed from
//       node_modules. npm installs offline and with an empty cache, so the result is the same without a registry.
//   P2. npm is told nothing about the npm that runs this: its variables would point it back into the repository.

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

import { buildPackages } from "./publishable.ts";
import { ROOT, readText } from "./repository.ts";

export interface PackedProject {
  /** Remove it when the project is not needed any more. */
  readonly home: string;
  /** Has a `package.json` and `node_modules`. */
  readonly folder: string;
  /** The names of our packages. */
  readonly names: readonly string[];
}

/** `types` are packages that a program needs only to be type-checked. */
export async function installPackages(types: readonly string[]): Promise<PackedProject> {
  const home = mkdtempSync(join(tmpdir(), "segno-packed-"));
  const names = await buildPackages(join(home, "built"));
  const sources = [...names.map((name) => join(home, "built", name)), ...dependencyFolders(types)];
  const tarballs = await packAll(home, sources);
  const folder = join(home, "project");
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), `${JSON.stringify({ private: true, type: "module" })}\n`);
  await npm(home, ["install", "--prefix", folder, "--offline", "--engine-strict", "--ignore-scripts", ...tarballs]);
  return { home, folder, names };
}

async function packAll(home: string, sources: readonly string[]): Promise<readonly string[]> {
  const target = join(home, "tarballs");
  mkdirSync(target);
  await npm(home, ["pack", ...sources, "--pack-destination", target, "--ignore-scripts"]);
  return readdirSync(target).map((file) => join(target, file));
}

interface LockedPackage {
  readonly link?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** All third-party dependencies of our packages and of `more`, as folders of node_modules. */
function dependencyFolders(more: readonly string[]): readonly string[] {
  const { packages } = JSON.parse(readText("package-lock.json")) as {
    readonly packages: Readonly<Record<string, LockedPackage>>;
  };
  const found = new Set<string>();
  const ours = Object.keys(packages).filter((path) => path.startsWith("packages/"));
  const pending = [...ours.flatMap((path) => Object.keys(packages[path]!.dependencies ?? {})), ...more];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    const path = `node_modules/${name}`;
    const locked = packages[path];
    if (locked === undefined) throw new Error(`Expected ${name} in package-lock.json; run npm install.`);
    if (locked.link === true || found.has(path)) continue;
    found.add(path);
    pending.push(...Object.keys(locked.dependencies ?? {}));
  }
  return [...found].map((path) => join(ROOT, path));
}

async function npm(home: string, args: readonly string[]): Promise<void> {
  const child = spawn("npm", [...args, "--cache", join(home, "cache")], {
    cwd: home,
    env: ownEnvironment(),
    stdio: ["ignore", "pipe", "pipe"],
    shell: process.platform === "win32",
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (said += text));
  const code = await new Promise((settle, reject) => child.once("error", reject).once("close", settle));
  if (code !== 0) throw new Error(`npm ${args[0]} ended with ${String(code)}:\n${said}`);
}

/** Without the variables of npm (P2), and with the Node.js of the workspace first. */
function ownEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.toLowerCase().startsWith("npm_"));
  const PATH = [join(ROOT, "node_modules", ".bin"), process.env["PATH"] ?? ""].join(delimiter);
  return { ...Object.fromEntries(kept), PATH };
}
