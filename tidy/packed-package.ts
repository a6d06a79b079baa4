// Finds the problems of a published package: its manifest, its README, its source maps.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";

import { headingAnchors, linkTargets } from "./markdown.ts";
import { DOCUMENTS } from "./publishable.ts";
import { ROOT } from "./repository.ts";

interface PublishedManifest {
  readonly name: string;
  readonly description?: string;
  readonly keywords?: readonly string[];
  readonly homepage?: string;
  readonly bugs?: string;
  readonly license?: string;
  readonly repository?: { readonly url: string; readonly directory: string };
  readonly exports: Readonly<Record<string, unknown>>;
}

const REPOSITORY = DOCUMENTS.replace("/blob/main/", "");

/** The names under which its modules are imported. */
export function listEntries(folder: string): readonly string[] {
  const { name, exports } = readManifest(folder);
  return Object.keys(exports)
    .filter((entry) => !entry.endsWith(".json"))
    .map((entry) => name + entry.slice(1));
}

export function manifestFaults(folder: string): readonly string[] {
  const { name, description, keywords, homepage, bugs, license, repository } = readManifest(folder);
  const required: Readonly<Record<string, boolean>> = {
    description: (description ?? "").length > 20,
    keywords: (keywords ?? []).length > 2,
    homepage: homepage?.startsWith(REPOSITORY) === true,
    bugs: bugs === `${REPOSITORY}/issues`,
    license: license === "Apache-2.0" && existsSync(join(folder, "LICENSE")),
    "repository.url": repository?.url === `git+${REPOSITORY}.git`,
    "repository.directory": repository !== undefined && existsSync(join(ROOT, repository.directory, "package.json")),
  };
  return Object.keys(required)
    .filter((field) => !required[field])
    .map((field) => `${name}: ${field}`);
}

/** Links lead into the package, or to a document of the repository that is there. */
export function linkFaults(folder: string): readonly string[] {
  const readme = readFileSync(join(folder, "README.md"), "utf8");
  return linkTargets(readme)
    .filter((target) => !isElsewhere(target) && !leadsSomewhere(folder, readme, target))
    .map((target) => `${folder}: ${target}`);
}

const isElsewhere = (target: string): boolean => /^[a-z]+:/u.test(target) && !target.startsWith(REPOSITORY);

function leadsSomewhere(folder: string, readme: string, target: string): boolean {
  const [path = "", anchor] = target.split("#", 2);
  const file = path.startsWith(DOCUMENTS) ? join(ROOT, path.slice(DOCUMENTS.length)) : join(folder, path);
  if (path !== "" && !existsSync(file)) return false;
  if (anchor === undefined) return true;
  return headingAnchors(path === "" ? readme : readFileSync(file, "utf8")).has(anchor);
}

/** Every source map of the package, as the file that names it and the map. */
export function sourceMaps(folder: string): readonly (readonly [file: string, map: string])[] {
  return filesIn(folder).flatMap((file) => {
    const name = /^\/\/# sourceMappingURL=(.+)$/mu.exec(/\.[cm]?[jt]s$/u.test(file) ? readFileSync(file, "utf8") : "");
    return name === null ? [] : [[file, join(dirname(file), name[1]!)] as const];
  });
}

/** A map has to be there, and each of its sources either in it or in the package. */
export function sourceMapFaults(folder: string): readonly string[] {
  return sourceMaps(folder)
    .filter(([, map]) => !existsSync(map) || !showsSources(folder, map))
    .map(([file]) => file);
}

function showsSources(folder: string, map: string): boolean {
  const { sources, sourcesContent = [] } = JSON.parse(readFileSync(map, "utf8")) as {
    readonly sources: readonly string[];
    readonly sourcesContent?: readonly (string | null)[];
  };
  return sources.every((source, index) => {
    const file = resolve(dirname(map), source);
    return typeof sourcesContent[index] === "string" || (file.startsWith(folder + sep) && existsSync(file));
  });
}

function readManifest(folder: string): PublishedManifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as PublishedManifest;
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
