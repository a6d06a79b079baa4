// Finds settings with which git would convert files between the repository and the user's folder. Our git does not convert, so
// a folder with such settings is not touched.

import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Checkout } from "./checkouts.ts";
import type { ObjectGit, TreeEntry } from "./object-git.ts";
import type { Oid } from "./oid.ts";
import type { Repository } from "./repository.ts";

const CONVERTING = new Set(["filter", "eol", "ident", "working-tree-encoding", "crlf"]);
const GITLINK = "160000";

/** A reason why files of the commits cannot be written as they are; undefined if they can. */
export async function findConversion(
  repository: Repository,
  objects: ObjectGit,
  { gitDir }: Checkout,
  commits: readonly Oid[],
): Promise<string | undefined> {
  const settings = await readSettings(repository, gitDir);
  const setting = settings.find(isConverting);
  if (setting !== undefined) return `the setting \`${setting[0]}\` is \`${setting[1]}\``;
  const entries = (await Promise.all(commits.map((commit) => objects.listFiles(commit)))).flat();
  if (entries.some(({ mode }) => mode === GITLINK)) return "the repository has submodules";
  const texts = [...(await readCommitted(objects, entries)), ...(await readLocal(repository, settings))];
  const name = texts.flatMap(attributeNames).find((attribute) => CONVERTING.has(attribute));
  return name === undefined ? undefined : `files have the attribute \`${name}\``;
}

type Setting = readonly [key: string, value: string];

async function readSettings(repository: Repository, gitDir: string): Promise<readonly Setting[]> {
  const pattern = "^core\\.(autocrlf|eol|sparsecheckout|symlinks|attributesfile|splitindex)$";
  const result = await repository.git.run([`--git-dir=${gitDir}`, "config", "-z", "--get-regexp", pattern]);
  const entries = result.stdout.toString("utf8").split("\0").filter(Boolean);
  return entries.map((entry) => [entry.split("\n", 1)[0]!, entry.slice(entry.indexOf("\n") + 1)]);
}

function isConverting([key, value]: Setting): boolean {
  switch (key) {
    case "core.autocrlf":
      return value !== "false";
    case "core.eol":
      return value === "crlf";
    case "core.symlinks":
      return value === "false";
    case "core.sparsecheckout":
    case "core.splitindex":
      return value !== "false";
    default:
      return false;
  }
}

async function readCommitted(objects: ObjectGit, entries: readonly TreeEntry[]): Promise<readonly string[]> {
  const files = entries.filter(({ path }) => path === ".gitattributes" || path.endsWith("/.gitattributes"));
  if (files.length === 0) return [];
  return (await objects.readBlobs(files.map(({ blob }) => blob))).map((content) => content.toString("utf8"));
}

async function readLocal({ commonDir }: Repository, settings: readonly Setting[]): Promise<readonly string[]> {
  const configured = settings.filter(([key]) => key === "core.attributesfile").map(([, value]) => value);
  const home = process.env["XDG_CONFIG_HOME"] ?? join(homedir(), ".config");
  const files = [join(commonDir, "info", "attributes"), join(home, "git", "attributes"), "/etc/gitattributes"];
  const paths = [...files, ...configured.map((path) => path.replace(/^~(?=\/)/u, homedir()))];
  return await Promise.all(paths.map((path) => readFile(path, "utf8").catch(() => "")));
}

/** The attributes that a file of attributes sets; those that it unsets do not count. */
function attributeNames(text: string): readonly string[] {
  return text
    .split("\n")
    .filter((line) => !line.trimStart().startsWith("#"))
    .flatMap((line) => line.trim().split(/\s+/u).slice(1))
    .filter((attribute) => !/^[-!]/u.test(attribute))
    .map((attribute) => attribute.split("=", 1)[0]!);
}
