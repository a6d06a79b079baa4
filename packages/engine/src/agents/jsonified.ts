// The types of values after JSON (DATA-8): what a reader gets of a value that user code gave.
//
//   J1. `Jsonified` says what is read: a date is text, and a key that may be undefined may be absent.
//   J2. `JsonLike` says what may be given. It keeps what is JSON or becomes it, and has a sentence in the place of all else, so
//       that the compiler names the key and the reason.
//   J3. Both keep `any`, and both resolve the members of an object only when they are used, so that a type may contain itself.

import type { Json } from "@segno/kernel";
import type { Expansion } from "./expansion.ts";
import type { Skip } from "./skip.ts";

/** The type of a value after it was written as JSON and read again. */
export type Jsonified<Value> = Value extends Json
  ? Value
  : Value extends { toJSON(...args: never): infer Converted }
    ? Jsonified<Converted>
    : Value extends NeverJson
      ? NotJson<Value>
      : Value extends readonly unknown[]
        ? { [Key in keyof Value]: Jsonified<Value[Key]> }
        : Value extends object
          ? JsonifiedObject<Value>
          : Value;

/** A key that may be undefined is optional. If there is none, the modifiers of the keys stay as they are. */
type JsonifiedObject<Value> = [MaybeUndefined<Value>] extends [never]
  ? { [Key in keyof Value as TextKey<Key>]: Jsonified<Value[Key]> }
  : Split<Value> extends infer Parts
    ? { [Key in keyof Parts]: Parts[Key] }
    : never;

type Split<Value> = { [Key in keyof Value as Exclude<TextKey<Key>, MaybeUndefined<Value>>]: Jsonified<Value[Key]> } & {
  [Key in keyof Value as TextKey<Key> & MaybeUndefined<Value>]?: Jsonified<Exclude<Value[Key], undefined>>;
};

/** The keys whose value may be undefined. Keys that are only optional, and keys of any type, are not among them. */
type MaybeUndefined<Value> = keyof {
  [Key in keyof Value as HasUndefined<Required<Value>[Key]> extends true ? Key : never]: true;
};

type HasUndefined<Value> = unknown extends Value ? false : undefined extends Value ? true : false;

/** Keys that are symbols are not part of the JSON. */
type TextKey<Key> = Exclude<Key, symbol>;

/** A value that is JSON, or becomes JSON without loss. */
export type JsonLike<Value> = Value extends Json
  ? Value
  : Value extends { toJSON(...args: never): infer Converted }
    ? Converted extends JsonLike<Converted>
      ? Value
      : "the result of its `toJSON` is not JSON"
    : Value extends NeverJson
      ? NotJson<Value>
      : Value extends readonly unknown[]
        ? { [Key in keyof Value]: JsonLike<Value[Key]> }
        : Value extends object
          ? {
              [Key in keyof Value]: Value[Key] extends infer Each
                ? Each extends undefined
                  ? Each
                  : JsonLike<Each>
                : never;
            }
          : Value extends undefined
            ? "undefined is not JSON, except as the value of a key"
            : Value;

type NeverJson = bigint | symbol | AnyFunction | AnyMap | AnySet;
type AnyFunction = (...args: never) => unknown;
type AnyMap = ReadonlyMap<unknown, unknown> | WeakMap<never, unknown>;
type AnySet = ReadonlySet<unknown> | WeakSet<never>;

type NotJson<Value> = Value extends bigint
  ? "a bigint is not JSON: use a string or a number"
  : Value extends symbol
    ? "a symbol is not JSON: use a string"
    : Value extends AnyFunction
      ? "a function is not JSON: leave it out"
      : Value extends AnyMap
        ? "a Map is not JSON: use `Object.fromEntries`"
        : "a Set is not JSON: use a list";

/** Work that returns what is not JSON fits no function of this type; other work fits (J2). */
export type JsonWork<Result> = Misfit<Result> extends never ? unknown : ReturnsJson<JsonLike<Result>>;

interface ReturnsJson<Result> {
  (...args: never): Result | Promise<Result>;
}

/** The name of a workflow whose input is JSON. Any other input shows in the error that the name gives. */
export type NameWithJson<Input> = Misfit<Input> extends never ? string : InputIsNotJson<JsonLike<Input>>;

interface InputIsNotJson<Input> {
  readonly input: Input;
}

/** The members of a union that are not JSON. A result that is undefined is null; skips and expansions are no data. */
type Misfit<Value> = Value extends Json | Skip | Expansion | undefined | void
  ? never
  : Value extends JsonLike<Value>
    ? never
    : Value;

/** An item that is not JSON as part of a list. */
export type MisfitItem<Item> = Misfit<readonly Item[]> extends never ? never : Item;
