// A TSDoc comment: its text, and the programs under `@example`.

import { fencedBlocks } from "./markdown.ts";

export interface DocComment {
  /** Markdown, without the examples. Empty if there is no comment. */
  readonly text: string;
  /** The source of each example. */
  readonly examples: readonly string[];
}

export const NO_COMMENT: DocComment = { text: "", examples: [] };

/** `comment` is the comment as it stands in the source, with its marks. */
export function parseDocComment(comment: string): DocComment {
  const lines = comment
    .replace(/^\/\*\*/u, "")
    .replace(/\*\/$/u, "")
    .split("\n")
    .map((line) => line.replace(/^\s*\* ?/u, "").trimEnd());
  const [text = "", ...examples] = lines.join("\n").split(/^@example\b/mu);
  return { text: text.trim(), examples: examples.flatMap((example) => fencedBlocks(example.trim()).map(readBlock)) };
}

function readBlock({ text }: { readonly text: string }): string {
  return text.trimEnd();
}
