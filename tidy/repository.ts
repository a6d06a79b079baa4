// The repository as files: what the tidy tests and scripts read, with paths relative to the root and `/` between parts.

import { readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";

export const ROOT: string = resolve(import.meta.dirname, "..");

/** Made by tools and never committed. */
const MADE_FOLDERS: ReadonlySet<string> = new Set([".git", "node_modules", "dist", "coverage", ".segno"]);

export function readText(file: string): string {
  return readFileSync(join(ROOT, file), "utf8");
}

/** Every file below a folder, sorted, without what tools made. A folder that does not exist has none. */
export function filesUnder(folder: string): string[] {
  const found: string[] = [];
  const pending = [folder];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const entry of listEntries(next)) {
      const path = next === "." ? entry.name : `${next}/${entry.name}`;
      if (entry.isFile()) found.push(path);
      else if (entry.isDirectory() && !MADE_FOLDERS.has(entry.name)) pending.push(path);
    }
  }
  return found.toSorted();
}

export function foldersIn(folder: string): string[] {
  return listEntries(folder)
    .filter((entry) => entry.isDirectory() && !MADE_FOLDERS.has(entry.name))
    .map((entry) => entry.name)
    .toSorted();
}

export function isTest(file: string): boolean {
  return file.endsWith(".test.ts");
}

/** The TypeScript that the packages are made of, tests included. */
export function packageSources(): string[] {
  return filesUnder("packages").filter((file) => /^packages\/[^/]+\/src\/.*\.ts$/u.test(file));
}

/** All TypeScript and JavaScript that people write here. */
export function codeFiles(): string[] {
  return ["packages", "tidy", "bench", "examples"].flatMap(filesUnder).filter((file) => /\.[cm]?[jt]sx?$/u.test(file));
}

export function markdownFiles(): string[] {
  return filesUnder(".").filter((file) => file.endsWith(".md"));
}

function listEntries(folder: string) {
  try {
    return readdirSync(join(ROOT, folder), { withFileTypes: true });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}
