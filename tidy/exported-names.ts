// The classes and types that an entry file exports, read from its text.

import { withoutComments } from "./import-statements.ts";

const LIST = /^export (?:type )?\{([^}]*)\}/gmu;
const DECLARATION = /^export (?:abstract )?(?:class|interface|type) (\w+)/gmu;

/** Names in PascalCase: functions and constants are written in other ways. */
export function exportedNames(source: string): string[] {
  const code = withoutComments(source);
  const listed = [...code.matchAll(LIST)].flatMap(([, list]) => list!.split(",").map(publicName));
  const declared = [...code.matchAll(DECLARATION)].map(([, name]) => name!);
  return [...listed, ...declared].filter((name) => /^[A-Z]\w*[a-z]/u.test(name));
}

/** `type A as B` is published as `B`. */
function publicName(item: string): string {
  return item
    .trim()
    .replace(/^type /u, "")
    .split(" as ")
    .at(-1)!
    .trim();
}
