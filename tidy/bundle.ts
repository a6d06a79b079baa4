// The command of a checkout in one piece. It has some six hundred modules, and finding and linking them takes longer than
// anything that it does then; from one piece it starts in half the time. `npm ci` makes it and `npm test` makes it anew; the
// command uses it as long as no source is newer (packages/segno/bin/segno.js), and its sources otherwise.
//
// Not its job: what is published. That is emitted file by file.

import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import type { Plugin, RolldownOutput } from "rolldown";
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
    // Modules that some commands import later and others at once are what the command consists of.
    checks: { ineffectiveDynamicImport: false },
  });
  const fresh = `${FOLDER}.${process.pid}`;
  const files = { format: "esm", entryFileNames: ENTRY, chunkFileNames: "[name]-[hash].mjs" } as const;
  const always = modulesLoadedBy(ENTRY, await bundle.generate(files));
  const shared = { name: "shared", minShareCount: SHARED_MIN, test: (id: string) => !always.has(id) };
  const written = await bundle.write({
    ...files,
    dir: fresh,
    codeSplitting: { includeDependenciesRecursively: false, groups: [shared, FOLLOWING] },
  });
  await bundle.close();
  writeFileSync(join(fresh, "sources.json"), JSON.stringify(sourcesOf(written)));
  rmSync(FOLDER, { recursive: true, force: true });
  renameSync(fresh, FOLDER);
}

const ENTRY = "cli.mjs";

/**
 * Modules that so many subcommands share are one chunk, and `segno run` loads 19 files instead of 83. If there were fewer
 * of them in it, a command would find and link more files; if there were more, it would compile what it does not need.
 */
const SHARED_MIN = 8;

/** What the file imports at once. It stays out of the shared chunk, so that `segno --help` loads only this. */
function modulesLoadedBy(file: string, { output }: RolldownOutput): ReadonlySet<string> {
  const chunks = new Map(output.flatMap((chunk) => (chunk.type === "chunk" ? [[chunk.fileName, chunk] as const] : [])));
  const loaded = new Set([file]);
  for (const name of loaded) for (const imported of chunks.get(name)?.imports ?? []) loaded.add(imported);
  return new Set([...loaded].flatMap((name) => chunks.get(name)?.moduleIds ?? []));
}

/** The sources in the bundle, from the root of the checkout. The command compares their times with that of the bundle. */
function sourcesOf({ output }: RolldownOutput): readonly string[] {
  const modules = output.flatMap((chunk) => (chunk.type === "chunk" ? chunk.moduleIds : []));
  return modules.filter((id) => id.startsWith(join(ROOT, "packages"))).map((id) => relative(ROOT, id));
}

/** Small modules that most commands load, as one chunk. */
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
