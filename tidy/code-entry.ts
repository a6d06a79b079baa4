// packages/segno/src/code.ts: the entry `segno/code`, which publishes everything that `@segno/code` publishes, by name.

import { withoutComments } from "./import-statements.ts";
import { readText } from "./repository.ts";

const LIST = /^export (type )?\{([^}]*)\} from/gmu;

export function codeEntry(): string {
  const values: string[] = [];
  const types: string[] = [];
  for (const [, isType, list] of withoutComments(readText("packages/code/src/index.ts")).matchAll(LIST))
    for (const item of list!.split(",").map((each) => each.trim()))
      if (item !== "") (isType !== undefined || item.startsWith("type ") ? types : values).push(publicName(item));
  const lines = [
    ...[...new Set(values)].toSorted().map((name) => `  ${name},`),
    ...[...new Set(types)].toSorted().map((name) => `  type ${name},`),
  ];
  return [
    "// segno/code: coding agents on a git repository, merged exactly once.",
    "//",
    "// `npm run generate` writes this file from the entry of `@segno/code`.",
    "",
    "export {",
    ...lines,
    '} from "@segno/code";',
    "",
  ].join("\n");
}

function publicName(item: string): string {
  return item
    .replace(/^type /u, "")
    .split(" as ")
    .at(-1)!
    .trim();
}
