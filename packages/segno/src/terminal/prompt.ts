// Asks the user at the terminal. Questions go to stderr, because stdout is for results.

import { createInterface, type Interface } from "node:readline/promises";

import type { Palette } from "./palette.ts";

/** The user pressed Ctrl-C, or standard input ended, before an answer. */
export class NoAnswer extends Error {
  override readonly name: string = "NoAnswer";
}

export interface PromptQuestion {
  readonly text: string;
  /** The value of an empty answer. */
  readonly standard: string;
  /** Returns the value of an answer, or the problem with it. */
  readonly read: (answer: string) => PromptResult;
}

export type PromptResult =
  | { readonly kind: "value"; readonly value: string }
  | { readonly kind: "problem"; readonly text: string };

/** Whether standard input and stderr are a terminal. */
export function canAsk(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

export class Prompt implements Disposable {
  readonly #lines: Interface;
  readonly #palette: Palette;
  readonly #gone = new AbortController();

  constructor(palette: Palette) {
    this.#palette = palette;
    this.#lines = createInterface({ input: process.stdin, output: process.stderr });
    this.#lines.on("SIGINT", () => this.#gone.abort());
    this.#lines.on("close", () => this.#gone.abort());
  }

  /** Repeats the question until the answer is valid. */
  async ask({ text, standard, read }: PromptQuestion): Promise<string> {
    const { title, quiet, caution } = this.#palette;
    for (;;) {
      const line = await this.#line(`${title(text)} ${quiet(`(${standard})`)} `);
      const answer = read(line.trim() === "" ? standard : line.trim());
      if (answer.kind === "value") return answer.value;
      process.stderr.write(`${caution(answer.text)}\n`);
    }
  }

  [Symbol.dispose](): void {
    this.#lines.close();
  }

  async #line(question: string): Promise<string> {
    try {
      return await this.#lines.question(question, { signal: this.#gone.signal });
    } catch (cause) {
      if (!this.#gone.signal.aborted) throw cause;
      process.stderr.write("\n");
      throw new NoAnswer("there was no answer", { cause });
    }
  }
}

/** Asks a question whose answer is yes or no. No answer is no. */
export async function askYes(text: string, palette: Palette): Promise<boolean> {
  using prompt = new Prompt(palette);
  try {
    return (await prompt.ask({ text, standard: "no", read: readYesOrNo })) === "yes";
  } catch (error) {
    if (error instanceof NoAnswer) return false;
    throw error;
  }
}

function readYesOrNo(answer: string): PromptResult {
  const word = answer.toLowerCase();
  if (word === "y" || word === "yes") return { kind: "value", value: "yes" };
  return word === "n" || word === "no" ? { kind: "value", value: "no" } : { kind: "problem", text: "yes or no?" };
}
