// The command in one piece. It has some nine hundred modules, and finding and linking them takes longer than anything that it
// does then; from one piece it starts in half the time.
//
// A checkout and the published package have a bundle each. `npm ci` makes the one of a checkout and every run of the tests makes it
// anew; the command uses it as long as no source is newer (packages/segno/bin/segno.js), and its sources otherwise.

import { existsSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { OutputChunk, Plugin } from "rolldown";
import { ROOT } from "./repository.ts";

const FOLDER = join(ROOT, "node_modules/.cache/segno-command");
const CLI = join(ROOT, "packages/segno/src/cli.ts");
/** Worker threads start from files of their own, beside the module that starts them. */
const WORKERS = {
  "thread-worker": join(ROOT, "packages/engine/src/runners/thread/thread-worker.ts"),
  "writer-worker": join(ROOT, "packages/engine/src/store/sqlite/writer-worker.ts"),
};

/** Makes the bundle of this checkout, and returns the address of its entry. */
export async function bundleCheckout(): Promise<string> {
  const fresh = `${FOLDER}.${process.pid}`;
  await writeBundle({ input: { cli: CLI }, folder: fresh, plugins: [ownPlaces] });
  // A test of another run may start the command at this moment, so the folder is missing for two renames only.
  const stale = `${fresh}.stale`;
  if (existsSync(FOLDER)) renameSync(FOLDER, stale);
  renameSync(fresh, FOLDER);
  rmSync(stale, { recursive: true, force: true });
  return pathToFileURL(join(FOLDER, "cli.js")).href;
}

/** Fills a folder of the published package, and returns the files of all modules that are in the bundle. */
export async function bundlePublished(folder: string): Promise<readonly string[]> {
  return writeBundle({ input: { cli: CLI, ...WORKERS }, folder, plugins: [] });
}

interface Bundling {
  readonly input: Readonly<Record<string, string>>;
  readonly folder: string;
  readonly plugins: readonly Plugin[];
}

async function writeBundle({ input, folder, plugins }: Bundling): Promise<readonly string[]> {
  const { rolldown } = await import("rolldown");
  const bundle = await rolldown({
    input,
    platform: "node",
    preserveEntrySignatures: "allow-extension",
    plugins: [...plugins],
    logLevel: "warn",
  });
  const { output } = await bundle.write({
    dir: folder,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js",
    codeSplitting: { includeDependenciesRecursively: false, groups: [FOLLOWING] },
  });
  await bundle.close();
  const chunks = output.filter((file): file is OutputChunk => file.type === "chunk");
  return [...new Set(chunks.flatMap((chunk) => chunk.moduleIds))];
}

/** Small modules that most commands load, as one chunk. Without it, `segno run` loads 73 files instead of 53. */
const FOLLOWING = { name: "following", test: /packages\/segno\/src\/(?:control|live|lookup|progress)\//u };

/** A module that looks for files beside itself looks where its source is. */
const ownPlaces: Plugin = {
  name: "own-places",
  load(id) {
    if (!id.startsWith(join(ROOT, "packages")) || !id.endsWith(".ts")) return null;
    const code = readFileSync(id, "utf8");
    if (!code.includes("import.meta.url")) return null;
    return { code: code.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href)), moduleType: "ts" };
  },
};
