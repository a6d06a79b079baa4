// The command of a checkout in one piece. It has some six hundred modules, and finding and linking them takes longer than
// anything that it does then; from one piece it starts in half the time. `npm ci` makes it and `npm test` makes it anew; the
// command uses it as long as no source is newer (packages/segno/bin/segno.js), and its sources otherwise.
//
// Not its job: what is published. That is emitted file by file.

import { readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Plugin } from "rolldown";
import { ROOT } from "./repository.ts";

const FOLDER = join(ROOT, "node_modules/.cache/segno-command");

export async function bundleCommand(): Promise<void> {
  const { rolldown } = await import("rolldown");
  const bundle = await rolldown({
    input: join(ROOT, "packages/segno/src/cli.ts"),
    platform: "node",
    preserveEntrySignatures: "allow-extension",
    plugins: [ownPlaces],
    logLevel: "warn",
  });
  const fresh = `${FOLDER}.${process.pid}`;
  await bundle.write({
    dir: fresh,
    format: "esm",
    entryFileNames: "cli.mjs",
    chunkFileNames: "[name]-[hash].mjs",
    codeSplitting: { includeDependenciesRecursively: false, groups: [FOLLOWING] },
  });
  await bundle.close();
  rmSync(FOLDER, { recursive: true, force: true });
  renameSync(fresh, FOLDER);
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
