// Functions that split and join strings.

import type { Json } from "../../../model/json.ts";
import { nextCodePoint } from "../code-points.ts";
import type { FunctionCall, FunctionDefinition } from "./function-definition.ts";

export const SPLITTING_FUNCTIONS: readonly FunctionDefinition[] = [
  { name: "join", arity: [2, 2], run: join },
  { name: "split", arity: [2, 3], run: split },
  { name: "replace", arity: [3, 4], run: replace },
];

function join(call: FunctionCall): string {
  const glue = call.text(0);
  const texts = call.texts(1);
  let length = glue.length * Math.max(0, texts.length - 1);
  for (const text of texts) length += text.length;
  call.fuel.scanText(length);
  call.fuel.produce(length);
  return call.madeText(texts.join(glue), length);
}

function split(call: FunctionCall): Json {
  const [text, separator] = [call.text(0), call.text(1)];
  const count = call.integer(2, 0) ?? Infinity;
  const pieces: Json[] = [];
  for (const piece of cut(call, text, separator, count)) {
    call.fuel.slots(1);
    call.fuel.produce(piece.length);
    pieces.push(call.madeText(piece, piece.length));
  }
  return call.register(text === "" && separator === "" ? [] : pieces);
}

function replace(call: FunctionCall): string {
  const [text, old, substitute] = [call.text(0), call.text(1), call.text(2)];
  const count = call.integer(3, 0) ?? Infinity;
  let replaced: string | undefined;
  let paid = 0;
  for (const piece of cut(call, text, old, count)) {
    const added = piece.length + (replaced === undefined ? 0 : substitute.length);
    call.fuel.produce(added);
    paid += added;
    replaced = replaced === undefined ? piece : replaced + substitute + piece;
  }
  return call.madeText(replaced ?? "", paid);
}

/** The pieces between at most `count` occurrences of `separator`; an empty separator splits between all code points. */
function* cut(call: FunctionCall, text: string, separator: string, count: number): Generator<string> {
  call.fuel.search(text.length, separator.length);
  let from = 0;
  for (let cuts = 0; cuts < count; cuts += 1) {
    call.fuel.spend(1);
    const end = separator === "" ? nextCodePoint(text, from) : text.indexOf(separator, from);
    if (end < 0 || (separator === "" && end >= text.length)) break;
    yield text.slice(from, end);
    from = end + separator.length;
  }
  yield text.slice(from);
}
