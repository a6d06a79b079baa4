// The licenses of the libraries in a bundle: most of them ask that their text goes along with every copy.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const PREFACE = "The command contains these libraries. Their sources are the npm packages of these versions.\n";
const LICENSE_FILE = /^(?:licen[cs]e|copying)(?:[.-]\w+)*$/iu;

/** `modules` are the files in the bundle. */
export function licenseTexts(modules: readonly string[]): string {
  const folders = new Set(modules.flatMap((file) => packageFolder(file) ?? []));
  return [PREFACE, ...[...folders].toSorted().map(licenseText)].join("\n\n");
}

function packageFolder(file: string): string | undefined {
  const match = /^(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/u.exec(file);
  return match?.[1];
}

function licenseText(folder: string): string {
  const { name, version, license } = readManifest(folder);
  const file = readdirSync(folder).find((each) => LICENSE_FILE.test(each));
  if (license === undefined) throw new Error(`${name} has no license, so it cannot be published in a bundle`);
  const text = file === undefined ? "" : `\n\n${readFileSync(join(folder, file), "utf8").trim()}`;
  return `${name} ${version} (${license})${text}\n`;
}

interface LibraryManifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

function readManifest(folder: string): LibraryManifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as LibraryManifest;
}
