// Suggests a key ("did you mean …") for a misspelt key and for a key of another tool.

import { closest } from "@segno/kernel";

/** Keys of other workflow tools, with the key that Segno has instead. Used only if that key is known in the same map. */
const ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  after: ["dependsOn"],
  args: ["exec", "input"],
  cmd: ["run", "exec"],
  command: ["run", "exec"],
  condition: ["when"],
  depends: ["dependsOn"],
  depends_on: ["dependsOn"],
  each: ["map"],
  environment: ["env"],
  foreach: ["map"],
  if: ["when"],
  inputs: ["input"],
  interval: ["base", "per"],
  items: ["over"],
  jobs: ["steps"],
  key: ["id"],
  maxAttempts: ["attempts"],
  needs: ["dependsOn"],
  outputs: ["output"],
  parameters: ["input"],
  params: ["input"],
  requires: ["dependsOn"],
  retries: ["retry", "attempts"],
  rollback: ["compensate"],
  script: ["run"],
  shell: ["run"],
  sleep: ["wait", "for"],
  tasks: ["steps"],
  timeoutMs: ["timeout"],
  title: ["name"],
  undo: ["compensate"],
  uri: ["url"],
  use: ["agent"],
  uses: ["agent", "workflow"],
  vars: ["variables"],
};

/** Keys of other workflow tools for which Segno has no key of the same map. */
const WRITTEN_ELSEWHERE: Readonly<Record<string, string>> = {
  matrix: "write `map: { over: { os: [linux, mac], node: [22, 24] }, steps: [ … ] }`",
  strategy: "write `map: { over: { os: [linux, mac], node: [22, 24] }, steps: [ … ] }`",
  labels: "labels are given when an execution starts: `--label name=value` of the command, or `labels` of `start`",
};

/** Says how to write what an unknown key means in another tool; undefined for other keys. */
export function keyHint(key: string): string | undefined {
  return Object.hasOwn(WRITTEN_ELSEWHERE, key) ? WRITTEN_ELSEWHERE[key] : undefined;
}

export function suggestKey(key: string, known: readonly string[]): string | undefined {
  const elsewhere = Object.hasOwn(ELSEWHERE, key) ? ELSEWHERE[key]! : [];
  return (
    elsewhere.find((word) => known.includes(word)) ??
    closest(key, known) ??
    known.find((word) => haveSameLetters(key, word))
  );
}

/** A short key with two swapped letters exceeds the edit distance for suggestions, so swaps are checked separately. */
function haveSameLetters(one: string, other: string): boolean {
  return one.length === other.length && one.split("").toSorted().join("") === other.split("").toSorted().join("");
}
