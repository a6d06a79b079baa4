// A Node.js of this machine that is older than the packages ask for, for tests of what they say then.

import { spawnSync } from "node:child_process";
import { delimiter, join } from "node:path";

import { complainAboutNode } from "./node-version.ts";

/** The first on the PATH; nothing when all are new enough. */
export function olderNode(): string | undefined {
  const name = process.platform === "win32" ? "node.exe" : "node";
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return folders.map((folder) => join(folder, name)).find((file) => isOlder(file));
}

function isOlder(file: string): boolean {
  const { status, stdout } = spawnSync(file, ["--version"], { encoding: "utf8" });
  return status === 0 && complainAboutNode(stdout.trim().replace(/^v/u, "")) !== null;
}
