// The options of commands that run steps: `run`, `retry` and `work`.

import type { EngineOptions } from "@segno/engine";

import { shellWord } from "../terminal/shell-word.ts";
import { journalWords, type JournalOptions } from "./journal-options.ts";

export interface WorkOptions extends JournalOptions {
  /** The number of steps that run at once. */
  readonly slots?: number;
  /** A file or folder with secrets. */
  readonly secrets?: string;
  readonly allowPrivateNetwork?: boolean;
  /** Modules whose workflows and agents are registered. */
  readonly import?: readonly string[];
}

/** Receives transient faults. The view shows them: the engine must not write to the terminal while a view draws there. */
export type OnFault = NonNullable<EngineOptions["onFault"]>;

/** The words of a command line that continues with the same options: journal, slots, secrets, network access. */
export function workWords(options: WorkOptions): string {
  const { slots, secrets, allowPrivateNetwork, import: modules = [] } = options;
  const words = [
    ...(slots === undefined ? [] : ["--slots", String(slots)]),
    ...(secrets === undefined ? [] : ["--secrets", shellWord(secrets)]),
    ...(allowPrivateNetwork === true ? ["--allow-private-network"] : []),
    ...modules.flatMap((file) => ["--import", shellWord(file)]),
  ];
  return [journalWords(options), ...words.map((word) => ` ${word}`)].join("");
}
