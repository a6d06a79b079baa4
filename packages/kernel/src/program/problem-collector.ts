// Findings: problems as they are found, handed out in the order that GRAPH-6 asks for.
//
//   F1. A scope inside another one has findings of its own. They count as structural in the outer one, at the place of the
//       step that the scope belongs to.
//   F2. A message and a hint are bounded, so that all problems of a document together are no larger than a few documents.

import type { KernelErrorCode } from "../errors/catalogue.ts";
import type { Problem } from "../errors/problem.ts";
import { Suggestions } from "../errors/suggestion.ts";
import type { JsonPath } from "../model/json.ts";
import { inBackticks, type Expression } from "../data/jmespath/expression.ts";
import { hyphenSuggestion, idsToQuote } from "../data/jmespath/hyphens.ts";

/** An expression somewhere in a definition, to be checked once the graph is known. */
export interface ExpressionRead {
  readonly expression: Expression;
  readonly path: JsonPath;
  /** The step it stands in; -1 for the workflow's own output, which is made after every step has ended. */
  readonly step: number;
  /** A compensation may read the step that it undoes. */
  readonly mayReadItself: boolean;
  /** What it may read where it stands; a root that is not among them is reported as such. */
  readonly roots: readonly string[];
  /** For the label of a map: the list whose items it reads as `item`. */
  readonly labelled?: Expression;
}

const TEXT_LENGTH_MAX = 1000;

export class ProblemCollector {
  readonly reads: ExpressionRead[] = [];
  readonly suggestions: Suggestions;
  readonly #ids: readonly string[];
  readonly #prefix: JsonPath;
  #idsToQuote: ReadonlySet<string> | undefined;
  readonly #misquoted = new Set<Expression>();
  readonly #structural: (Problem | ProblemCollector)[] = [];
  readonly #relational: Problem[] = [];
  #graph: readonly Problem[] = [];

  /** `prefix` leads from the outermost definition to this one; a scope shares the suggestions of the one around it. */
  constructor(ids: readonly string[], prefix: JsonPath = [], suggestions: Suggestions = new Suggestions()) {
    this.#ids = ids;
    this.#prefix = prefix;
    this.suggestions = suggestions;
  }

  /** "Did you mean …", where one of the words is near. */
  didYouMean(word: string, known: Iterable<string>): string | undefined {
    const near = this.suggestions.closest(word, known);
    return near === undefined ? undefined : `did you mean \`${near}\`?`;
  }

  /** A source with its ids quoted, where the lack of quotes may be what is wrong with it. */
  quoteHint(source: string): string | undefined {
    this.#idsToQuote ??= idsToQuote(this.#ids);
    const quoted = hyphenSuggestion(source, this.#idsToQuote);
    return quoted === undefined ? undefined : `an id with a hyphen is quoted: \`${quoted}\``;
  }

  /** An id that lacks its quotes. It is reported once, and nothing else is said about that expression. */
  reportMisquoted(expression: Expression, path: JsonPath, hint: string): void {
    if (this.#misquoted.has(expression)) return;
    this.#misquoted.add(expression);
    this.relational(
      "UNKNOWN_STEP",
      path,
      `${inBackticks(expression.source)} reads a step whose id has a hyphen as a subtraction`,
      hint,
    );
  }

  isMisquoted(expression: Expression): boolean {
    return this.#misquoted.has(expression);
  }

  /** A problem of one step or field by itself. */
  structural(code: KernelErrorCode, path: JsonPath, message: string, hint?: string): void {
    this.#structural.push(problem(code, path, message, hint));
  }

  /** A problem between steps: who may read or depend on whom. */
  relational(code: KernelErrorCode, path: JsonPath, message: string, hint?: string): void {
    this.#relational.push(problem(code, path, message, hint));
  }

  /** What the graph of the steps has found. */
  graph(problems: readonly Problem[]): void {
    this.#graph = problems.map(({ code, path, message, hint }) => problem(code, path, message, hint));
  }

  /** The findings of a scope inside this one. They keep their own order and count as structural here. */
  addNested(problems: ProblemCollector): void {
    this.#structural.push(problems);
  }

  inOrder(): readonly Problem[] {
    const cycles = this.#graph.filter(({ code }) => code === "DEPENDENCY_CYCLE");
    const names = this.#graph.filter(({ code }) => code !== "DEPENDENCY_CYCLE");
    const structural = this.#structural.flatMap((each) => (each instanceof ProblemCollector ? each.inOrder() : [each]));
    return [...byDeclaration(structural), ...byDeclaration([...names, ...this.#relational]), ...cycles].map((found) =>
      withPrefix(found, this.#prefix),
    );
  }
}

function problem(code: string, path: JsonPath, message: string, hint: string | undefined): Problem {
  const text = boundText(message);
  return hint === undefined ? { code, path, message: text } : { code, path, message: text, hint: boundText(hint) };
}

/** A long text without its middle: both ends of a cycle say more than its first half. */
function boundText(text: string): string {
  if (text.length <= TEXT_LENGTH_MAX) return text;
  const half = TEXT_LENGTH_MAX / 2;
  return `${text.slice(0, half)} … ${text.slice(-half)}`;
}

/** The same problem, seen from the document that holds the one it was found in. */
function withPrefix(found: Problem, prefix: JsonPath): Problem {
  return prefix.length === 0 ? found : { ...found, path: [...prefix, ...found.path] };
}

function byDeclaration(problems: readonly Problem[]): readonly Problem[] {
  return problems.toSorted((a, b) => declaration(a) - declaration(b));
}

/** Problems of the workflow itself come before those of its steps. */
function declaration({ path }: Problem): number {
  return path[0] === "steps" && typeof path[1] === "number" ? path[1] : -1;
}
