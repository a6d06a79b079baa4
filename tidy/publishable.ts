// What is published: for each package a folder with emitted JavaScript, declarations and a manifest that points at them.
//
// In the workspace a package's exports name its TypeScript sources, so that nothing has to be built to work on it. Those
// sources cannot be run from a node_modules folder, hence the second manifest.

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { ROOT } from "./repository.ts";
import { runTool } from "./tool.ts";

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

/** Folders of a package that go along beside what is emitted. */
const SHIPPED_FOLDERS: readonly string[] = ["bin", "dist", "schema"];

/** Fills `target` with a folder for each package and returns their names. */
export async function buildPackages(target: string): Promise<readonly string[]> {
  const folders = readdirSync(join(ROOT, "packages")).map((folder) => join(ROOT, "packages", folder));
  const build = await runTool("tsc", ["-b", "--force", ...folders]);
  if (build.exitCode !== 0) throw new Error(`the packages do not compile:\n${build.stdout}${build.stderr}`);
  return folders.map((folder) => shipPackage(folder, target));
}

function shipPackage(source: string, target: string): string {
  const manifest = JSON.parse(readFileSync(join(source, "package.json"), "utf8")) as Manifest;
  const folder = join(target, manifest.name);
  mkdirSync(folder, { recursive: true });
  for (const each of SHIPPED_FOLDERS) {
    const isThere = existsSync(join(source, each));
    if (isThere)
      cpSync(join(source, each), join(folder, each), {
        recursive: true,
        filter: (file) => !file.endsWith(".tsbuildinfo"),
      });
  }
  cpSync(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
  if (manifest.name === "segno") cpSync(join(ROOT, "README.md"), join(folder, "README.md"));
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(publishedManifest(manifest), null, 2)}\n`);
  return manifest.name;
}

function publishedManifest(manifest: Manifest): object {
  const exports = Object.entries(manifest.exports).map(([entry, source]) => [entry, publishedEntry(source)]);
  return { ...manifest, files: SHIPPED_FOLDERS, exports: Object.fromEntries(exports), sideEffects: false };
}

function publishedEntry(source: string): unknown {
  if (!source.endsWith(".ts")) return source;
  const emitted = source.replace("./src/", "./dist/").replace(/\.ts$/u, "");
  return { types: `${emitted}.d.ts`, default: `${emitted}.js` };
}
