// The masker: replaces every secret that it knows by `***`, in whatever form it is written (DATA-9).
//
// Job: texts, JSON, failures and output in chunks. What counts as a form of a secret is said in `variants.ts`, and so is
// what is not covered.
//
//   M1. While there are no secrets it gives back what it got, after one comparison.
//   M2. What overlaps or touches becomes one mask: nothing of two secrets that share a part is left over.
//   M3. Masking what is masked changes nothing (S2).
//   M4. What holds no secret is given back as it is, the very same object. JSON keeps its structure: only texts and keys
//       change, and a number that is a secret as a whole. Keys that become the same are told apart.
//   M5. A value stays masked when a newer one has taken its place. What is remembered has a bound all the same: a process
//       that is given new values for months forgets those that it was given, or asked for, the longest time ago.

import { isJsonArray, isJsonObject, type Failure, type Json } from "@segno/kernel";
import { Automaton } from "./automaton.ts";
import { maskJson } from "./mask-json.ts";
import { MaskStream } from "./mask-stream.ts";
import { Ranges } from "./ranges.ts";
import { MASK, secretVariants } from "./secret-variants.ts";

/** Of all variants together (M5). A token has one or two thousand, a key of 4096 bits has 130,000; each costs 33 bytes. */
const CHARACTERS_MAX = 4_194_304;
/** So much is left when it was too much, so that it is not too much again at once. */
const CHARACTERS_KEPT = 3_145_728;

/** A failure has no more causes than are looked at when it is made; what is longer was made to harm. */
const CAUSES_MAX = 64;

const NUMBER = /^-?\d+(?:\.\d+)?$/u;

interface Known {
  readonly variants: ReadonlySet<string>;
  readonly characters: number;
}

/** What may be shown of what somebody wrote. */
export interface Mask {
  text(text: string): string;
  stream(): { write(chunk: Uint8Array): Uint8Array; end(): Uint8Array };
}

export class Masker implements Mask {
  /** What is looked for because of each value; the oldest first. */
  readonly #values = new Map<string, Known>();
  /** Values that the automaton does not know yet. */
  #fresh: Known[] = [];
  #characters = 0;
  #hasNumbers = false;
  #automaton: Automaton | undefined;

  get isIdle(): boolean {
    return this.#values.size === 0;
  }

  /** What is too short to be a secret is passed over. */
  add(value: string): void {
    const known = this.#values.get(value) ?? this.#learn(value);
    if (known === undefined) return;
    this.#values.delete(value);
    this.#values.set(value, known);
    if (this.#characters > CHARACTERS_MAX) this.#forget();
  }

  text(text: string): string {
    if (this.isIdle || text === "") return text;
    const found = new Ranges();
    this.automaton().scanText(text, found);
    return found.count === 0 ? text : replaceRanges(text, found);
  }

  json(json: Json): Json {
    if (this.isIdle) return json;
    if (typeof json === "string") return this.text(json);
    if (typeof json === "number") return this.#number(json);
    if (!isJsonArray(json) && !isJsonObject(json)) return json;
    return maskJson(json, { text: (text) => this.text(text), number: (number) => this.#number(number) });
  }

  failure(failure: Failure): Failure {
    if (this.isIdle) return failure;
    const chain: Failure[] = [];
    for (let each: Failure | undefined = failure; each !== undefined && chain.length < CAUSES_MAX; each = each.cause)
      chain.push(each);
    return chain.reduceRight<Failure | undefined>((cause, each) => this.#failure(each, cause), undefined)!;
  }

  /** For one output; what it holds back belongs to that one. */
  stream(): MaskStream {
    return new MaskStream(this);
  }

  /** Made when it is needed: a step asks for all its secrets before it writes anything. */
  automaton(): Automaton {
    this.#automaton ??= new Automaton();
    if (this.#fresh.length > 0) for (const { variants } of this.#fresh.splice(0)) this.#automaton.add(variants);
    return this.#automaton;
  }

  #learn(value: string): Known | undefined {
    const variants = secretVariants(value);
    if (variants.size === 0) return undefined;
    const characters = Array.from(variants).reduce((sum, { length }) => sum + length, 0);
    const known = { variants, characters };
    this.#fresh.push(known);
    this.#characters += characters;
    this.#hasNumbers ||= NUMBER.test(value);
    return known;
  }

  /** The newest is never forgotten, however long it is. */
  #forget(): void {
    const { size } = this.#values;
    for (const [value, { characters }] of this.#values) {
      if (this.#characters <= CHARACTERS_KEPT || this.#values.size === 1) break;
      this.#values.delete(value);
      this.#characters -= characters;
    }
    if (this.#values.size === size) return;
    this.#automaton = undefined;
    this.#fresh = [...this.#values.values()];
  }

  /** Only a number that is all secret: digits inside of another, a time for example, are chance. */
  #number(number: number): Json {
    return this.#hasNumbers && this.text(String(number)) === MASK ? MASK : number;
  }

  #failure(failure: Failure, cause: Failure | undefined): Failure {
    const code = this.text(failure.code);
    const message = this.text(failure.message);
    const path = failure.path === undefined ? undefined : this.text(failure.path);
    const isSame =
      code === failure.code && message === failure.message && path === failure.path && cause === failure.cause;
    if (isSame) return failure;
    const { path: _, cause: __, ...rest } = failure;
    return {
      ...rest,
      code,
      message,
      ...(path === undefined ? {} : { path }),
      ...(cause === undefined ? {} : { cause }),
    };
  }
}

function replaceRanges(text: string, { starts: starter, ends }: Ranges): string {
  let result = "";
  let from = 0;
  for (const [each, start] of starter.entries()) {
    result += text.slice(from, start) + MASK;
    from = ends[each]!;
  }
  return result + text.slice(from);
}
