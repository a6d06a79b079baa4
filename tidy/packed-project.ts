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
  const { folders, nested } = dependencies(types);
  const tarballs = await packAll(join(home, "tarballs"), home, [
    ...names.map((name) => join(home, "built", name)),
    ...folders,
  ]);
  const folder = join(home, "project");
  mkdirSync(folder);
  const overrides = await packNested(home, nested);
  writeFileSync(join(folder, "package.json"), `${JSON.stringify({ private: true, type: "module", overrides })}\n`);
  await npm(home, ["install", "--prefix", folder, "--offline", "--engine-strict", "--ignore-scripts", ...tarballs]);
  return { home, folder, names };
}

async function packAll(target: string, home: string, sources: readonly string[]): Promise<readonly string[]> {
  mkdirSync(target, { recursive: true });
  await npm(home, ["pack", ...sources, "--pack-destination", target, "--ignore-scripts"]);
  return readdirSync(target).map((file) => join(target, file));
}

/** npm takes one version of a package from the command line. Other versions, below a dependency, come from overrides. */
async function packNested(home: string, nested: readonly NestedPackage[]): Promise<object> {
  const overrides: Record<string, Record<string, string>> = {};
  for (const [index, { parent, name, folder }] of nested.entries()) {
    const [tarball] = await packAll(join(home, "nested", String(index)), home, [folder]);
    (overrides[parent] ??= {})[name] = `file:${tarball}`;
  }
  return overrides;
}

/** A dependency that a package has in a folder of its own, because the others need another version. */
interface NestedPackage {
  readonly parent: string;
  readonly name: string;
  readonly folder: string;
}

interface LockedPackage {
  readonly link?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** All third-party dependencies of our packages and of `more`: the folders of node_modules, and those below them. */
function dependencies(more: readonly string[]): {
  readonly folders: readonly string[];
  readonly nested: readonly NestedPackage[];
} {
  const { packages } = JSON.parse(readText("package-lock.json")) as {
    readonly packages: Readonly<Record<string, LockedPackage>>;
  };
  const found = new Set<string>();
  const nested: NestedPackage[] = [];
  const ours = Object.keys(packages).filter((path) => path.startsWith("packages/"));
  const pending = [...ours.flatMap((path) => Object.keys(packages[path]!.dependencies ?? {})), ...more];
  for (let parent = pending.pop(); parent !== undefined; parent = pending.pop()) {
    const path = `node_modules/${parent}`;
    const locked = packages[path];
    if (locked === undefined) throw new Error(`Expected ${parent} in package-lock.json; run npm install.`);
    if (locked.link === true || found.has(path)) continue;
    found.add(path);
    for (const name of Object.keys(locked.dependencies ?? {})) {
      const below = `${path}/node_modules/${name}`;
      if (packages[below] === undefined) pending.push(name);
      else nested.push({ parent, name, folder: join(ROOT, below) });
    }
  }
  return { folders: [...found].map((path) => join(ROOT, path)), nested };
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
