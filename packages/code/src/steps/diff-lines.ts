// The diff of a task as lines for people, who see it when its agent has finished. `segno code diff` shows it whole.

import type { DiffStat } from "../git/file-change.ts";

/** More files are only counted. */
const FILES_MAX = 20;

export function diffLines(diff: readonly DiffStat[]): readonly string[] {
  if (diff.length === 0) return [];
  const [added, deleted] = (["added", "deleted"] as const).map((key) =>
    diff.reduce((sum, { lines }) => sum + (lines?.[key] ?? 0), 0),
  );
  const rest = diff.length - FILES_MAX;
  return [
    `${diff.length} ${diff.length === 1 ? "file" : "files"} changed, +${added} -${deleted}`,
    ...diff.slice(0, FILES_MAX).map(({ path, lines }) => `  ${path} ${toText(lines)}`),
    ...(rest > 0 ? [`  and ${rest} more`] : []),
  ];
}

function toText(lines: DiffStat["lines"]): string {
  return lines === undefined ? "binary" : `+${lines.added} -${lines.deleted}`;
}
