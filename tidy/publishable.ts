// Builds the published files: for each package a folder with emitted JavaScript, declarations, a README and a manifest that points at
// them.
//
// In the workspace a package's exports name its TypeScript sources, so that nothing has to be built to work on it. Those
// sources cannot be run from a node_modules folder, hence the second manifest.

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";

import { bundlePublished } from "./bundle.ts";
import { licenseTexts } from "./license-texts.ts";
import { withFileLinks } from "./markdown.ts";
import { ROOT } from "./repository.ts";
import { runTool } from "./tool.ts";

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, string>>;
  /** Modules that do something when they are imported; none when it is absent. */
  readonly sideEffects?: readonly string[] | false;
  readonly [field: string]: unknown;
}

/** Folders of a package that go along beside what is emitted. */
const SHIPPED_FOLDERS: readonly string[] = ["bin", "dist", "schema"];
/** Where the documents can be read that are not in a package. */
export const DOCUMENTS = "https://github.com/segno-dev/segno/blob/main/";

/** Fills `target` with a folder for each package and returns their names. */
export async function buildPackages(target: string): Promise<readonly string[]> {
  const folders = readdirSync(join(ROOT, "packages")).map((folder) => `packages/${folder}`);
  // A file whose source is gone would be published as well.
  for (const folder of folders) rmSync(join(ROOT, folder, "dist"), { recursive: true, force: true });
  const build = await runTool("tsc", ["-b", "--force", ...folders]);
  if (build.exitCode !== 0) throw new Error(`the packages do not compile:\n${build.stdout}${build.stderr}`);
  const names = folders.map((folder) => shipPackage(folder, target));
  await shipCommand(join(target, "segno", "dist", "command"));
  return names;
}

/** The command is published in one piece, because it starts in a third of the time that way. The licenses of what it contains go along. */
async function shipCommand(folder: string): Promise<void> {
  const modules = await bundlePublished(folder);
  writeFileSync(join(folder, "LICENSES.txt"), licenseTexts(modules));
}

function shipPackage(folder: string, target: string): string {
  const source = join(ROOT, folder);
  const manifest = JSON.parse(readFileSync(join(source, "package.json"), "utf8")) as Manifest;
  const shipped = join(target, manifest.name);
  mkdirSync(shipped, { recursive: true });
  for (const each of SHIPPED_FOLDERS) {
    const isThere = existsSync(join(source, each));
    if (isThere)
      cpSync(join(source, each), join(shipped, each), {
        recursive: true,
        filter: (file) => !file.endsWith(".tsbuildinfo"),
      });
  }
  cpSync(join(ROOT, "LICENSE"), join(shipped, "LICENSE"));
  writeFileSync(
    join(shipped, "README.md"),
    publishedReadme(manifest.name === "segno" ? "README.md" : `${folder}/README.md`),
  );
  writeFileSync(join(shipped, "package.json"), `${JSON.stringify(publishedManifest(manifest), null, 2)}\n`);
  return manifest.name;
}

/** Links into the repository become addresses: outside of it they would lead nowhere. */
function publishedReadme(file: string): string {
  const folder = posix.dirname(file);
  return withFileLinks(readFileSync(join(ROOT, file), "utf8"), (target) => DOCUMENTS + posix.join(folder, target));
}

function publishedManifest(manifest: Manifest): object {
  const exports = Object.entries(manifest.exports).map(([entry, source]) => [entry, publishedEntry(source)]);
  const { sideEffects: sources = false } = manifest;
  const sideEffects = sources === false ? false : sources.map((source) => emittedFile(source, ".js"));
  return { ...manifest, files: SHIPPED_FOLDERS, exports: Object.fromEntries(exports), sideEffects };
}

function publishedEntry(source: string): unknown {
  if (!source.endsWith(".ts")) return source;
  return { types: emittedFile(source, ".d.ts"), default: emittedFile(source, ".js") };
}

function emittedFile(source: string, extension: string): string {
  return source.replace("./src/", "./dist/").replace(/\.ts$/u, extension);
}
