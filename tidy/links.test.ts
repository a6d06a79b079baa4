// Links between the documents lead somewhere.

import { existsSync } from "node:fs";
import { join, posix } from "node:path";

import { expect, it } from "vitest";

import { headingAnchors, linkTargets } from "./markdown.ts";
import { ROOT, markdownFiles, readText } from "./repository.ts";

const isElsewhere = (target: string): boolean => /^[a-z]+:/u.test(target);

it("every link in a document leads to a file and a heading that exist", () => {
  const broken = markdownFiles().flatMap((file) =>
    linkTargets(readText(file))
      .filter((target) => !isElsewhere(target) && !leadsSomewhere(file, target))
      .map((target) => `${file}: ${target}`),
  );
  expect(broken).toEqual([]);
});

function leadsSomewhere(from: string, target: string): boolean {
  const [path = "", anchor] = target.split("#", 2);
  const file = path === "" ? from : posix.join(posix.dirname(from), decodeURI(path));
  if (file.startsWith("..") || !existsSync(join(ROOT, file))) return false;
  return anchor === undefined || !file.endsWith(".md") || headingAnchors(readText(file)).has(anchor);
}
