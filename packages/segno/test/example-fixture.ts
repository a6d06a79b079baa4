// A workshop that has the examples in it, as somebody has them who has just cloned the repository and installed it.

import { cp, symlink } from "node:fs/promises";
import { join, resolve } from "node:path";

import { CommandFixture } from "./command-fixture.ts";

const ROOT = resolve(import.meta.dirname, "../../..");

export async function openExamples(): Promise<CommandFixture> {
  const shop = await CommandFixture.open();
  await cp(join(ROOT, "examples"), shop.path("examples"), { recursive: true });
  // Programs find `segno` as they would in a project that has installed it.
  await symlink(join(ROOT, "node_modules"), shop.path("node_modules"));
  return shop;
}

/** The events of steps in the order of the journal, such as `step.completed build`, from the output of `--jsonl`. */
export function stepEvents(jsonl: string, ...kinds: readonly string[]): readonly string[] {
  return jsonl
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { readonly kind: string; readonly step?: string })
    .filter(({ kind }) => kinds.includes(kind))
    .map(({ kind, step }) => `${kind} ${step}`);
}
