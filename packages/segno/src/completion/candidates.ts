// Candidates for a cursor position, each with a description.
//   C1. Only words that need no quoting are offered: an execution may have any id, and the shell inserts a candidate verbatim.
//   C2. Files and folders are left to the shell.

import type { Command } from "commander";

import { JOURNAL_DEFAULT } from "../journal/journal-default.ts";
import { safeText } from "../terminal/safe-text.ts";
import type { Given, Located, CursorPosition, ValueKind } from "./cursor-position.ts";

export interface Candidate {
  readonly word: string;
  readonly about: string;
}

export interface Candidates {
  readonly words: readonly Candidate[];
  /** The names that the shell adds itself. */
  readonly from?: "files" | "folders";
}

const RECENT_MAX = 30;
const ABOUT_MAX = 100;
const LAST = "@last";
/** A word must not begin with `:`, because such a line is a directive for the scripts. */
const PLAIN_WORD = /^[\w@%+=,./-][\w@%+=:,./-]*$/u;

const NOTHING: Candidates = { words: [] };

export async function candidatesAt({ place, typed, prefix }: Located): Promise<Candidates> {
  const { words, ...rest } = await listCandidates(place);
  const fitting = words
    .filter(({ word }) => word.startsWith(typed) && PLAIN_WORD.test(word))
    .map(({ word, about }) => ({ word: prefix + word, about: safeText(about).slice(0, ABOUT_MAX) }));
  return { ...rest, words: fitting };
}

async function listCandidates(place: CursorPosition): Promise<Candidates> {
  switch (place.kind) {
    case "verb":
      return { words: commandCandidates(place.command) };
    case "option":
      return { words: optionCandidates(place) };
    case "choice":
      return { words: place.choices.map((word) => ({ word, about: "" })) };
    case "value":
      return VALUES[place.value](place.given);
    case "unknown":
      return NOTHING;
  }
}

function commandCandidates(command: Command): readonly Candidate[] {
  const help = command.createHelp();
  return help.visibleCommands(command).map((verb) => ({ word: verb.name(), about: help.subcommandDescription(verb) }));
}

/** The options of the command and the global options, each once. */
function optionCandidates({ command, used }: Extract<CursorPosition, { kind: "option" }>): readonly Candidate[] {
  const help = command.createHelp();
  const all = [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)];
  return all.flatMap((option) =>
    used.has(option) ? [] : [{ word: option.long ?? option.short ?? "", about: option.description }],
  );
}

const VALUES: Readonly<Record<ValueKind, (given: Given) => Candidates | Promise<Candidates>>> = {
  execution: executionCandidates,
  step: stepCandidates,
  file: () => ({ words: [], from: "files" }),
  folder: () => ({ words: [], from: "folders" }),
  code: codes,
};

async function executionCandidates({ db = JOURNAL_DEFAULT }: Given): Promise<Candidates> {
  const { completeExecutions } = await import("@segno/engine/completion-lookup");
  const [newest, ...others] = completeExecutions(db, RECENT_MAX);
  if (newest === undefined) return NOTHING;
  const words = [newest, ...others].map(({ id, workflow }) => ({ word: id, about: workflow }));
  return { words: [{ word: LAST, about: `the newest: ${newest.workflow}` }, ...words] };
}

/** The steps of the execution in the first argument. */
async function stepCandidates({ db = JOURNAL_DEFAULT, arguments: [named = LAST] }: Given): Promise<Candidates> {
  const { completeExecutions, completeSteps } = await import("@segno/engine/completion-lookup");
  const id = named === LAST ? completeExecutions(db, 1)[0]?.id : named;
  return id === undefined ? NOTHING : { words: completeSteps(db, id).map((word) => ({ word, about: "" })) };
}

async function codes(): Promise<Candidates> {
  const { CATALOGUE } = await import("../errors/catalogue.ts");
  return { words: Object.entries(CATALOGUE).map(([word, { meaning }]) => ({ word, about: meaning })) };
}
