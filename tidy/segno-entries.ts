// The published entries of segno, as its package.json lists them.

import { readText } from "./repository.ts";

export interface SegnoEntry {
  /** The name that a program imports: `segno`, `segno/batch`. */
  readonly name: string;
  /** The file that declares the entry, from the root of the repository. */
  readonly file: string;
}

const { exports } = JSON.parse(readText("packages/segno/package.json")) as {
  readonly exports: Readonly<Record<string, string>>;
};

export const SEGNO_ENTRIES: readonly SegnoEntry[] = Object.entries(exports).map(([path, file]) => ({
  name: `segno${path.slice(1)}`,
  file: `packages/segno${file.slice(1)}`,
}));
