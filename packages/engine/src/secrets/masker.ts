// The masker: replaces every known secret by `***`, in any of its variants (DATA-9).
//
// It masks strings, JSON, failures and chunked output. `secret-variants.ts` defines the variants, and lists what is not
// covered.
//
//   M1. Without secrets it returns its input after one comparison.
//   M2. Matches that overlap or touch become one mask, so no part of two overlapping secrets remains. Colours and other
//       characters that a terminal does not show do not hide a secret (`stream-masker.ts`, C5).
//   M3. Masking masked text changes nothing (S2).
//   M4. A value without a secret is returned as the same object. JSON keeps its structure: only strings and keys
//       change, and a number that is a secret as a whole. Masked keys that collide are numbered.
//   M5. A value stays masked after a newer one has replaced it. The number of remembered values is limited: a process
//       that gets new values for months forgets those that were added or requested longest ago.
//   M6. A value is never forgotten while an attempt holds it, and held values do not count towards the limit.
//   M7. Values are forgotten to make room only for values that are new or held by others: values of one request never
//       displace each other, and a value that each step of an execution holds in turn is learned once. Learning the
//       secrets of a workflow again for each step would take seconds, because forgetting discards the automaton.

import { isJsonArray, isJsonObject, type Failure, type Json } from "@segno/kernel";
import { Automaton } from "./automaton.ts";
import { maskJson } from "./mask-json.ts";
import { maskShown, SecretStreamMasker, type StreamMasker } from "./stream-masker.ts";
import { Ranges } from "./ranges.ts";
import { MASK, secretVariants } from "./secret-variants.ts";
import { HIDDEN } from "./shown-bytes.ts";

/**
 * The limit of all variants together (M5). A token has one or two thousand characters of variants, a key of 4096 bits
 * has 130,000; each character costs 33 bytes.
 */
const CHARACTERS_MAX = 4_194_304;
/** The size after a clean-up, so that the limit is not reached again at once. */
const CHARACTERS_KEPT = 3_145_728;

/** Failures are created with at most this many causes; a longer chain was made to do harm. */
const CAUSES_MAX = 64;

const NUMBER = /^-?\d+(?:\.\d+)?$/u;

interface Known {
  readonly variants: ReadonlySet<string>;
  readonly characters: number;
  /** The number of attempts that hold the value (M6). */
  holders: number;
  /** True if no attempt has held the value yet. */
  isNew: boolean;
}

/** The masking interface. */
export interface Mask {
  text(text: string): string;
  stream(): StreamMasker;
}

export class Masker implements Mask {
  /** The variants of each value, oldest first. */
  readonly #values = new Map<string, Known>();
  /** Values that the automaton does not contain yet. */
  #fresh: Known[] = [];
  /** The number of characters in the variants of values that no attempt holds. */
  #characters = 0;
  /** The part of them in values that no attempt has held yet. */
  #newCharacters = 0;
  #hasNumbers = false;
  #automaton: Automaton | undefined;

  get isIdle(): boolean {
    return this.#values.size === 0;
  }

  /** Ignores values that are too short to be secrets. */
  add(...values: readonly string[]): void {
    const added = new Set(values);
    for (const value of added) this.#touch(value);
    // A value that an attempt held makes room only when another attempt holds its own (M7).
    if (this.#newCharacters > CHARACTERS_MAX) this.#forget(added);
  }

  /** Keeps the values until the returned function is called, also values that were forgotten before (M6). */
  hold(values: Iterable<string>): () => void {
    const held = new Set(values);
    for (const value of held) this.#hold(value);
    if (this.#characters > CHARACTERS_MAX) this.#forget(held);
    return () => {
      for (const value of held) this.#release(value);
      held.clear();
    };
  }

  text(text: string): string {
    if (this.isIdle || text === "") return text;
    const ranges = new Ranges();
    this.automaton().scanText(text, ranges);
    const masked = ranges.count === 0 ? text : replaceRanges(text, ranges);
    return masked.search(HIDDEN) < 0 ? masked : maskShown(masked, this);
  }

  json(json: Json): Json {
    if (this.isIdle) return json;
    if (typeof json === "string") return this.text(json);
    if (typeof json === "number") return this.#number(json);
    if (!isJsonArray(json) && !isJsonObject(json)) return json;
    return maskJson(
      json,
      (text) => this.text(text),
      (number) => this.#number(number),
    );
  }

  failure(failure: Failure): Failure {
    if (this.isIdle) return failure;
    const chain: Failure[] = [];
    for (let each: Failure | undefined = failure; each !== undefined && chain.length < CAUSES_MAX; each = each.cause)
      chain.push(each);
    return chain.reduceRight<Failure | undefined>((cause, each) => this.#failure(each, cause), undefined)!;
  }

  /** A new masker for one stream, which holds back bytes of that stream only. */
  stream(): StreamMasker {
    return new SecretStreamMasker(this);
  }

  /** Created on demand, because a step requests all its secrets before it writes anything. */
  automaton(): Automaton {
    this.#automaton ??= new Automaton();
    if (this.#fresh.length > 0) for (const { variants } of this.#fresh.splice(0)) this.#automaton.add(variants);
    return this.#automaton;
  }

  #hold(value: string): void {
    const known = this.#touch(value);
    if (known === undefined || known.holders++ > 0) return;
    this.#characters -= known.characters;
    if (known.isNew) this.#newCharacters -= known.characters;
    known.isNew = false;
  }

  #release(value: string): void {
    const known = this.#touch(value);
    if (known !== undefined && --known.holders === 0) this.#characters += known.characters;
  }

  /** Makes the value the newest one. */
  #touch(value: string): Known | undefined {
    const known = this.#values.get(value) ?? this.#learn(value);
    if (known === undefined) return undefined;
    this.#values.delete(value);
    this.#values.set(value, known);
    return known;
  }

  #learn(value: string): Known | undefined {
    const variants = secretVariants(value);
    if (variants.size === 0) return undefined;
    const characters = Array.from(variants).reduce((sum, { length }) => sum + length, 0);
    const known = { variants, characters, holders: 0, isNew: true };
    this.#fresh.push(known);
    this.#characters += characters;
    this.#newCharacters += characters;
    this.#hasNumbers ||= NUMBER.test(value);
    return known;
  }

  /** Forgets the oldest values that no attempt holds, except those to be kept. */
  #forget(kept: ReadonlySet<string>): void {
    const { size } = this.#values;
    for (const [value, { characters, holders, isNew }] of this.#values) {
      if (this.#characters <= CHARACTERS_KEPT) break;
      if (holders > 0 || kept.has(value)) continue;
      this.#values.delete(value);
      this.#characters -= characters;
      if (isNew) this.#newCharacters -= characters;
    }
    if (this.#values.size === size) return;
    this.#automaton = undefined;
    this.#fresh = [...this.#values.values()];
  }

  /** Masks only a number that is a secret as a whole: digits inside another number, such as a time, are coincidence. */
  #number(number: number): Json {
    return this.#hasNumbers && this.text(String(number)) === MASK ? MASK : number;
  }

  #failure(failure: Failure, cause: Failure | undefined): Failure {
    const masked: Partial<Record<(typeof FAILURE_TEXTS)[number], string>> = {};
    let isSame = cause === failure.cause;
    for (const field of FAILURE_TEXTS) {
      const text = failure[field];
      if (text === undefined) continue;
      masked[field] = this.text(text);
      isSame &&= masked[field] === text;
    }
    if (isSame) return failure;
    const { cause: _, ...rest } = failure;
    return { ...rest, ...masked, ...(cause === undefined ? {} : { cause }) };
  }
}

/** The fields of a failure that may contain a secret. */
const FAILURE_TEXTS = ["code", "message", "name", "path", "stack"] as const;

function replaceRanges(text: string, { starts: starter, ends }: Ranges): string {
  let result = "";
  let from = 0;
  for (const [each, start] of starter.entries()) {
    if (each === 0 || start > from) result += text.slice(from, start) + MASK;
    from = ends[each]!;
  }
  return result + text.slice(from);
}
