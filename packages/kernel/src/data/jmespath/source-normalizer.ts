// Checks and rewrites an author's text for the library's parser.
//
// Job: reads the tokens once, from left to right and without recursion, and
//   - refuses text that would make the recursive parser, the compiler or the evaluator recurse deeply;
//   - refuses text that the parser would silently misread;
//   - rewrites three constructs that the parser reads otherwise than the specification says.
// Not its job: to be a grammar. The parser may still refuse the result.
//
// Invariants
//   GATE-1  Let D be the number of open brackets at a position, plus, in each of them, the prefix operators of the current operand,
//           the ternaries, and the `let`s; let P be the number of brackets and projections that the current operands of all open
//           brackets consist of. The parser's recursion is linear in D + P; D is at most NESTING_MAX and P at most PROJECTIONS_MAX.
//           Chains of binary operators and of fields do not nest: see `node.ts`.
//   GATE-2  Between two values there is always an operator or a comma. (The parser would insert the missing comma of `f(a b)`.)
//   GATE-3  `&` occurs only at the start of an argument of a function.
//   GATE-4  Rewriting keeps the meaning that the specification gives:
//           `*` between values becomes `×`, which the parser ranks with `/` as it should;
//           `|@` goes before the colon of a ternary after a bracket, where the parser does not expect a colon;
//           a ternary before a pipe is put in parentheses, because the pipe binds weakest.

import { tokenize } from "@jmespath-community/jmespath";
import { fail } from "./expression-failure.ts";
import type { LibraryToken } from "./library-node.ts";
import { syntaxMessage } from "./syntax-message.ts";

const NESTING_MAX = 64;
/** Projections in a row (`a[*].b[*].c[*]`) nest as well, but less than brackets do, and people write more of them. */
const PROJECTIONS_MAX = 256;

interface SourceSegment {
  start: number;
  hasTernary: boolean;
}

interface NestingFrame {
  readonly opener: "call" | "group" | "bracket" | "filter" | "brace" | "top";
  /** The innermost is the part of a ternary that is being read. */
  readonly segments: SourceSegment[];
  prefixes: number;
  postfixes: number;
  opens: number;
  lets: number;
}

interface Edit {
  readonly at: number;
  readonly removed: number;
  readonly text: string;
}

export function normalizeSource(source: string): string {
  return new SourceNormalizer(source).normalize();
}

function lex(source: string): readonly LibraryToken[] {
  try {
    return tokenize(source);
  } catch (error) {
    return fail("EXPRESSION_SYNTAX", syntaxMessage(error as Error));
  }
}

class SourceNormalizer {
  readonly #source: string;
  readonly #tokens: readonly LibraryToken[];
  readonly #edits: Edit[] = [];
  readonly #frames: NestingFrame[] = [];
  #frame: NestingFrame;
  #depth = 0;
  #projections = 0;
  #index = 0;
  /** Whether the tokens before the current one form a complete value. */
  #afterValue = false;

  constructor(source: string) {
    this.#source = source;
    this.#tokens = lex(source);
    this.#frame = newFrame("top", 0);
  }

  normalize(): string {
    for (const token of this.#tokens) {
      this.#read(token);
      this.#index += 1;
    }
    return applyEdits(this.#source, this.#edits);
  }

  #read(token: LibraryToken): void {
    switch (token.type) {
      case "UnquotedIdentifier":
        return this.#readWord(token);
      case "QuotedIdentifier":
      case "Variable":
      case "Current":
      case "Root":
      case "Literal":
        return this.#readValue(token);
      case "Number":
        return this.#readNumber(token);
      case "Lparen":
        return this.#openParenthesis(token);
      case "Lbracket":
        return this.#open("bracket", token, 1);
      case "Filter":
        return this.#open("filter", token, 2);
      case "Lbrace":
        return this.#open("brace", token, 1);
      case "Rparen":
      case "Rbracket":
      case "Rbrace":
        return this.#close(token);
      default:
        return this.#readOperator(token);
    }
  }

  #readOperator(token: LibraryToken): void {
    switch (token.type) {
      case "Star":
        return this.#readStar(token);
      case "Flatten":
        return this.#readProjection(token);
      case "Plus":
      case "Minus":
      case "Not":
        return this.#readSign(token);
      case "Multiply":
      case "Divide":
      case "Div":
      case "Modulo":
        return this.#endOperand(false);
      case "Expref":
        return this.#readReference(token);
      case "Assign":
        return this.#readAssign(token);
      case "Comma":
        return this.#readComma(token);
      case "Question":
        return this.#readQuestion(token);
      case "Colon":
        return this.#readColon(token);
      case "Pipe":
        return this.#readPipe(token);
      case "Dot":
        this.#afterValue = false;
        return;
      default:
        // Comparisons, && and ||.
        return this.#endOperand(true);
    }
  }

  #readWord(token: LibraryToken): void {
    if (token.value === "let" && this.#typeAt(1) === "Variable" && !this.#afterValue) {
      this.#frame.lets += 1;
      this.#deepen(token);
    } else if (token.value === "in" && this.#afterValue && this.#frame.lets > 0) {
      this.#frame.lets -= 1;
      this.#frame.opens += 1;
      this.#endOperand(true);
      this.#restartSegment(token.start + 2);
    } else this.#readValue(token);
  }

  #readValue(token: LibraryToken): void {
    if (this.#afterValue) {
      fail("EXPRESSION_SYNTAX", `Expected an operator or a comma before ${this.#textAt(token)}`, token.start);
    }
    this.#afterValue = true;
  }

  #readNumber(token: LibraryToken): void {
    const text = this.#source.slice(token.start).match(/^[-\d]+/u)?.[0] ?? "";
    const isIndex = /^-?\d+$/u.test(text) && Number.isSafeInteger(Number(text));
    if (this.#frame.opener !== "bracket" || this.#afterValue || !isIndex) {
      const advice = "outside an index, write numbers in backticks: `1`";
      fail("EXPRESSION_SYNTAX", `The number ${text} is not allowed here; ${advice}`, token.start);
    }
    this.#afterValue = true;
  }

  #openParenthesis(token: LibraryToken): void {
    if (this.#afterValue && this.#typeAt(-1) !== "UnquotedIdentifier") {
      fail("EXPRESSION_SYNTAX", "Only the plain name of a function may precede an opening parenthesis", token.start);
    }
    this.#open(this.#afterValue ? "call" : "group", token, 1);
  }

  #open(opener: NestingFrame["opener"], token: LibraryToken, length: number): void {
    this.#frames.push(this.#frame);
    this.#frame = newFrame(opener, token.start + length);
    this.#afterValue = false;
    this.#deepen(token);
  }

  #close(token: LibraryToken): void {
    const before = this.#typeAt(-1);
    if (before === "Comma" || (before === "Lbracket" && token.type === "Rbracket")) {
      fail("EXPRESSION_SYNTAX", `Expected an expression before ${this.#textAt(token)}`, token.start);
    }
    const closed = this.#frame;
    const outer = this.#frames.pop();
    if (outer === undefined)
      fail("EXPRESSION_SYNTAX", `${this.#textAt(token)} has no matching opening bracket`, token.start);
    this.#depth -= 1 + closed.prefixes + closed.opens + closed.lets;
    this.#projections -= closed.postfixes;
    this.#frame = outer;
    this.#readProjection(token);
  }

  #readStar(token: LibraryToken): void {
    if (!this.#afterValue) return this.#readProjection(token);
    this.#edits.push({ at: token.start, removed: 1, text: "×" });
    this.#endOperand(false);
  }

  #readProjection(token: LibraryToken): void {
    this.#frame.postfixes += 1;
    this.#projections += 1;
    this.#afterValue = true;
    if (this.#projections > PROJECTIONS_MAX) depthError(PROJECTIONS_MAX, token);
  }

  #readSign(token: LibraryToken): void {
    if (this.#afterValue && token.type !== "Not") return this.#endOperand(true);
    this.#frame.prefixes += 1;
    this.#afterValue = false;
    this.#deepen(token);
  }

  #readReference(token: LibraryToken): void {
    const before = this.#typeAt(-1);
    const startsArgument = before === "Lparen" || (before === "Comma" && this.#frame.lets === 0);
    if (this.#frame.opener !== "call" || !startsArgument) {
      fail("EXPRESSION_SYNTAX", "`&` can only start an argument of a function", token.start);
    }
    this.#frame.opens += 1;
    this.#deepen(token);
    this.#restartSegment(token.start + 1);
  }

  #readAssign(token: LibraryToken): void {
    const opener = this.#typeAt(-2) === "Comma" || this.#tokens[this.#index - 2]?.value === "let";
    if (this.#typeAt(-1) !== "Variable" || !opener || this.#frame.lets === 0) {
      fail("EXPRESSION_SYNTAX", "`=` only binds a variable in `let $name = …`; to compare, write `==`", token.start);
    }
    this.#afterValue = false;
    this.#restartSegment(token.start + 1);
  }

  #readComma(token: LibraryToken): void {
    this.#endOperand(true);
    // The binding of a `let` ends here, but the expression around that `let` continues.
    if (this.#frame.lets === 0) {
      this.#depth -= this.#frame.opens;
      this.#frame.opens = 0;
    }
    this.#frame.segments.length = 0;
    this.#frame.segments.push({ start: token.start + 1, hasTernary: false });
  }

  #readQuestion(token: LibraryToken): void {
    this.#endOperand(true);
    this.#frame.opens += 1;
    this.#deepen(token);
    this.#frame.segments.push({ start: token.start + 1, hasTernary: false });
  }

  #readColon(token: LibraryToken): void {
    const before = this.#typeAt(-1);
    this.#endOperand(true);
    if (this.#frame.segments.length === 1) return this.#restartSegment(token.start + 1);
    this.#frame.segments.pop();
    this.#segment().hasTernary = true;
    const endsInBracket = before === "Rbracket" || before === "Flatten" || before === "Star";
    if (endsInBracket) this.#edits.push({ at: token.start, removed: 0, text: "|@" });
  }

  #readPipe(token: LibraryToken): void {
    const segment = this.#segment();
    if (segment.hasTernary) {
      this.#edits.push({ at: segment.start, removed: 0, text: "(" }, { at: token.start, removed: 0, text: ")" });
    }
    this.#endOperand(true);
    this.#restartSegment(token.start + 1);
  }

  /** Multiplication ends a projection; only weaker operators also end the operand of a leading minus. */
  #endOperand(endsPrefixes: boolean): void {
    this.#projections -= this.#frame.postfixes;
    this.#frame.postfixes = 0;
    if (endsPrefixes) {
      this.#depth -= this.#frame.prefixes;
      this.#frame.prefixes = 0;
    }
    this.#afterValue = false;
  }

  #deepen(token: LibraryToken): void {
    this.#depth += 1;
    if (this.#depth > NESTING_MAX) depthError(NESTING_MAX, token);
  }

  #segment(): SourceSegment {
    return this.#frame.segments.at(-1) ?? newSegment(0);
  }

  #restartSegment(start: number): void {
    this.#frame.segments[this.#frame.segments.length - 1] = newSegment(start);
  }

  #typeAt(offset: number): string | undefined {
    return this.#tokens[this.#index + offset]?.type;
  }

  #textAt(token: LibraryToken): string {
    const end = this.#tokens[this.#index + 1]?.start ?? this.#source.length;
    return this.#source.slice(token.start, Math.min(end, token.start + 24)).trim();
  }
}

function depthError(limit: number, token: LibraryToken): never {
  const advice = "split it with `let`, or into several expressions";
  fail("EXPRESSION_TOO_DEEP", `The expression nests more than ${limit} levels; ${advice}`, token.start);
}

function newSegment(start: number): SourceSegment {
  return { start, hasTernary: false };
}

function newFrame(opener: NestingFrame["opener"], start: number): NestingFrame {
  return { opener, segments: [newSegment(start)], prefixes: 0, postfixes: 0, opens: 0, lets: 0 };
}

function applyEdits(source: string, edits: readonly Edit[]): string {
  if (edits.length === 0) return source;
  let text = "";
  let from = 0;
  for (const edit of edits.toSorted((one, other) => one.at - other.at)) {
    text += source.slice(from, edit.at) + edit.text;
    from = edit.at + edit.removed;
  }
  return text + source.slice(from);
}
