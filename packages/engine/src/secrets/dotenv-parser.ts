// Parses dotenv files: lines of `NAME=value`.
//
// Empty lines and lines that begin with `#` are ignored. `export` may precede a name. A value without quotes ends at
// the end of its line, or at a `#` after a space. A value in single quotes is literal; in double quotes `\n`, `\r`,
// `\t`, `\\`, `\"` and `\$` are escapes. A quoted value may span several lines. If a name occurs twice, the last line
// counts, as in a shell. An empty value counts as absent.
//
// Any other content is refused. The error names the number of the line and nothing of its content (Q2 of the sources).

import { isForbiddenKey, SegnoError } from "@segno/kernel";

const ASSIGNMENT = /^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_.-]*)[ \t]*=(?:[ \t]*(?=["']))?/u;
/** Matches an empty line or a comment, and the rest of a line after a closing quote. */
const BLANK = /^[ \t]*(?:#.*)?$/u;
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["\\", "\\"],
  ['"', '"'],
  ["$", "$"],
]);

/** `place` names the file in messages. */
export function parseDotenv(text: string, file: string): ReadonlyMap<string, string> {
  const reader = new DotenvReader(text, file);
  while (!reader.isOver) reader.read();
  return reader.values;
}

class DotenvReader {
  readonly values = new Map<string, string>();
  readonly #text: string;
  readonly #file: string;
  #index = 0;
  #line = 1;

  constructor(text: string, file: string) {
    this.#text = text.replace(/^\uFEFF/u, "").replaceAll("\r\n", "\n");
    this.#file = file;
  }

  get isOver(): boolean {
    return this.#index >= this.#text.length;
  }

  read(): void {
    const line = this.#restOfLine();
    if (BLANK.test(line)) return this.#skip(line.length + 1);
    const [opening, name] = ASSIGNMENT.exec(line) ?? this.#refuse("is not of the form `NAME=value`");
    if (isForbiddenKey(name!)) this.#refuse(`sets \`${name}\`, which is not a valid name of a secret`);
    this.#skip(opening.length);
    const quote = this.#text[this.#index];
    this.#put(name!, quote === '"' || quote === "'" ? this.#readQuoted(quote) : this.#bare());
  }

  #put(name: string, value: string): void {
    if (value === "") this.values.delete(name);
    else this.values.set(name, value);
  }

  #bare(): string {
    const line = this.#restOfLine();
    this.#skip(line.length + 1);
    const comment = line.search(/[ \t]#/u);
    return (comment === -1 ? line : line.slice(0, comment)).trim();
  }

  #readQuoted(quote: string): string {
    const end = this.#closing(quote);
    const inside = this.#text.slice(this.#index + 1, end);
    const rest = this.#text.slice(end + 1, this.#lineEnd(end));
    this.#skip(inside.length + 2);
    if (!BLANK.test(rest)) this.#refuse("continues after its closing quote");
    this.#skip(rest.length + 1);
    return quote === "'" ? inside : inside.replaceAll(/\\([nrt\\"$])/gu, (_, letter: string) => ESCAPES.get(letter)!);
  }

  #closing(quote: string): number {
    for (let index = this.#index + 1; index < this.#text.length; index++) {
      if (this.#text[index] === quote) return index;
      if (this.#text[index] === "\\" && quote === '"') index++;
    }
    return this.#refuse("has a quote that is not closed");
  }

  #restOfLine(): string {
    return this.#text.slice(this.#index, this.#lineEnd(this.#index));
  }

  #lineEnd(from: number): number {
    const end = this.#text.indexOf("\n", from);
    return end === -1 ? this.#text.length : end;
  }

  #skip(characters: number): void {
    for (const end = this.#index + characters; this.#index < end; this.#index++)
      if (this.#text[this.#index] === "\n") this.#line++;
  }

  #refuse(problem: string): never {
    throw new SegnoError("SECRET_INVALID", `line ${this.#line} of ${this.#file} ${problem}`);
  }
}
