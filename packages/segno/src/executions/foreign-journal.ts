// Asking before a journal is worked on that another user made, or that was made on another machine.
//
// The unfinished executions of a journal are commands that will run. A journal may have come with a repository or in an
// archive, so that is for whoever is here to decide: at the terminal, or by `--yes`.

import { existsSync } from "node:fs";

import { inspectOrigin } from "@segno/engine";
import { SegnoError } from "@segno/kernel";

import type { Palette } from "../terminal/palette.ts";
import { canAsk, NoAnswer, Prompt, type Answer } from "../terminal/prompt.ts";
import { safeText } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { commandName, journalFile, placeWords, type PlaceOptions } from "./journal-place.ts";
import { openToRead } from "./open-engine.ts";
import { unfinishedText } from "./unfinished.ts";

export interface TrustOptions extends PlaceOptions {
  /** Somebody has decided already. */
  readonly yes?: boolean;
}

/** Resolves when what is in the journal may run here. */
export async function requireTrust(options: TrustOptions, terminal: Terminal): Promise<void> {
  const file = journalFile(options);
  if (options.yes === true || !existsSync(file) || inspectOrigin(file) === "own") return;
  if (canAsk() && (await isTrusted(options, terminal.reportPalette))) return;
  throw new SegnoError(
    "STORE_FOREIGN",
    `${file} was created by another user or on another machine; \`${commandName()} list${placeWords(options)}\` shows ` +
      "what is in it, and --yes goes on with it",
  );
}

async function isTrusted(options: TrustOptions, palette: Palette): Promise<boolean> {
  const text =
    `${safeText(journalFile(options))} was created by another user or on another machine` +
    `${await unfinishedIn(options)}. Go on with it?`;
  using prompt = new Prompt(palette);
  try {
    return (await prompt.ask({ text, standard: "no", read: readAnswer })) === "yes";
  } catch (error) {
    if (error instanceof NoAnswer) return false;
    throw error;
  }
}

async function unfinishedIn(options: TrustOptions): Promise<string> {
  await using engine = await openToRead(options);
  const text = await unfinishedText(engine);
  return text === undefined ? "" : `; unfinished: ${text}`;
}

function readAnswer(answer: string): Answer {
  const word = answer.toLowerCase();
  if (word === "y" || word === "yes") return { kind: "value", value: "yes" };
  return word === "n" || word === "no" ? { kind: "value", value: "no" } : { kind: "problem", text: "yes or no?" };
}
