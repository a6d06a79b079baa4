// Corrects habits from other languages: a text without quotes, a bare number, `??`, `===`, `and`.
//
//   S1. It reads the tokens and not the tree, because such a text often has no tree.
//   S2. A suggestion is an expression that parses and reads only existing names; otherwise there is no suggestion.
//   S3. A document may have many such texts, so each is read in one pass, and long ones are skipped.

import { parseExpression } from "./expression.ts";
import { endOfQuoted, isQuote } from "./quoted-text.ts";
import { listReferences } from "./references.ts";

const LENGTH_MAX = 500;

/** Words of other languages, and their equivalents here. */
const OPERATORS: Readonly<Record<string, string>> = { "===": "==", "!==": "!=", "??": "||" };
const WORD_OPERATORS: Readonly<Record<string, string>> = { and: "&&", or: "||", not: "!" };
const CONSTANTS: ReadonlySet<string> = new Set(["true", "false", "null"]);
const COMPARISONS: ReadonlySet<string> = new Set(["==", "!=", "<", ">", "<=", ">=", "===", "!=="]);
/** A number after one of these, or at the start, is an operand; after `[` and `:` it is an index. */
const BEFORE_OPERAND = /^(?:|[=!<>]=+|[<>(,+*/%!-]|&&|\|\||\?\?)$/u;
/** Other words for the end state of a step. */
const END_STATES: Readonly<Record<string, string>> = {
  completed: "succeeded",
  success: "succeeded",
  error: "failed",
  canceled: "cancelled",
};
const STATUS = /\.status\s*[=!]=\s*'(\w+)'/gu;
const SIGNED = /^-\d/u;
const TOKEN = /[=!]==|[=!<>]=|\?\?|&&|\|\||-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|[A-Za-z_]\w*|\s+|./suy;

/** The source as it was probably meant; undefined if that is unclear. */
export function slipSuggestion(source: string, roots?: readonly string[]): string | undefined {
  if (source.length > LENGTH_MAX) return undefined;
  const repaired = repair(source, roots ?? []);
  if (repaired === source) return undefined;
  const parsed = parseExpression(repaired);
  if (parsed.kind === "problem") return undefined;
  const reads = listReferences(parsed.expression).map(({ path }) => path[0]);
  return reads.every((root) => root === undefined || roots?.includes(root) !== false) ? repaired : undefined;
}

/** The end state of a step for which another word was used. */
export function endState(word: string): string | undefined {
  return Object.hasOwn(END_STATES, word) ? END_STATES[word] : undefined;
}

function repair(source: string, roots: readonly string[]): string {
  const tokens = tokenize(source);
  const repaired = tokens.map((token, index) =>
    repairToken({ token, before: neighbour(tokens, index, -1), after: neighbour(tokens, index, 1), roots }),
  );
  return repaired
    .join("")
    .replaceAll(/! +/gu, "!")
    .replaceAll(STATUS, (text, word: string) => text.replace(word, endState(word) ?? word));
}

function tokenize(source: string): readonly string[] {
  const tokens: string[] = [];
  for (let at = 0; at < source.length;) {
    const token = tokenAt(source, at, tokens.findLast((each) => each.trim() !== "") ?? "");
    tokens.push(token);
    at += token.length;
  }
  return tokens;
}

function tokenAt(source: string, at: number, before: string): string {
  if (isQuote(source[at])) {
    const end = endOfQuoted(source, at);
    return source.slice(at, end < 0 ? source.length : end);
  }
  TOKEN.lastIndex = at;
  const token = TOKEN.exec(source)![0];
  // `a -1` is a subtraction: the sign is an operator there.
  return SIGNED.test(token) && !BEFORE_OPERAND.test(before) ? "-" : token;
}

/** The next token that is not space; each space is a token. */
function neighbour(tokens: readonly string[], index: number, step: 1 | -1): string {
  const next = tokens[index + step] ?? "";
  return next.trim() === "" ? (tokens[index + 2 * step] ?? "") : next;
}

interface TokenContext {
  readonly token: string;
  readonly before: string;
  readonly after: string;
  readonly roots: readonly string[];
}

function repairToken(context: TokenContext): string {
  const { token, before } = context;
  if (Object.hasOwn(OPERATORS, token)) return OPERATORS[token]!;
  if (token.startsWith("`")) return isJson(token.slice(1, -1)) ? token : rawText(token.slice(1, -1));
  if (token.startsWith('"')) return isCompared(context) ? rawText(token.slice(1, -1)) : token;
  if (/^-?\d/u.test(token)) return BEFORE_OPERAND.test(before) ? `\`${token}\`` : token;
  return /^[A-Za-z_]/u.test(token) ? repairWord(context) : token;
}

function repairWord(context: TokenContext): string {
  const { token, before, after, roots } = context;
  if (before === "." || [".", "(", "[", ":"].includes(after)) return token;
  if (Object.hasOwn(WORD_OPERATORS, token)) return WORD_OPERATORS[token]!;
  if (CONSTANTS.has(token)) return `\`${token}\``;
  return isCompared(context) && !roots.includes(token) ? rawText(token) : token;
}

/** Whether a token is beside a comparison and is not a field. */
function isCompared({ before, after }: TokenContext): boolean {
  return COMPARISONS.has(before) || (before !== "." && COMPARISONS.has(after));
}

function rawText(text: string): string {
  return `'${text.replaceAll("'", String.raw`\'`)}'`;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
