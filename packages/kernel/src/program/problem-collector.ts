// Collects problems, and returns them in the order of GRAPH-6.
//
//   F1. A scope inside another one has its own collector. Its problems count as structural in the outer one, at the position of the
//       step that opens the scope.
//   F2. Messages and hints are bounded, so that all problems of a document together are no larger than a few documents.

import type { KernelErrorCode } from "../errors/catalogue.ts";
import type { Problem } from "../errors/problem.ts";
import { Suggestions } from "../errors/suggestion.ts";
import type { JsonPath } from "../model/json.ts";
import { inBackticks, type Expression } from "../data/jmespath/expression.ts";
import { hyphenSuggestion, idsToQuote } from "../data/jmespath/hyphens.ts";

/** An expression in a definition, to be checked once the graph is known. */
export interface ExpressionRead {
  readonly expression: Expression;
  readonly path: JsonPath;
  /** The step of the expression; -1 for the output of the workflow, which is rendered after every step has ended. */
  readonly step: number;
  /** A compensation may read the step that it undoes. */
  readonly mayReadItself: boolean;
  /** The roots that it may read; any other root is reported. */
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

  /** `prefix` leads from the outermost definition to this one; a scope shares the suggestions of its parent. */
  constructor(ids: readonly string[], prefix: JsonPath = [], suggestions: Suggestions = new Suggestions()) {
    this.#ids = ids;
    this.#prefix = prefix;
    this.suggestions = suggestions;
  }

  /** "Did you mean …", if one of the words is near. */
  didYouMean(word: string, known: Iterable<string>): string | undefined {
    const near = this.suggestions.closest(word, known);
    return near === undefined ? undefined : `did you mean \`${near}\`?`;
  }

  /** The source with its ids quoted, if missing quotes may be the mistake. */
  quoteHint(source: string): string | undefined {
    this.#idsToQuote ??= idsToQuote(this.#ids);
    const quoted = hyphenSuggestion(source, this.#idsToQuote);
    return quoted === undefined ? undefined : `an id with a hyphen is quoted: \`${quoted}\``;
  }

  /** Reports an id without its quotes. It is reported once, and no other problem of that expression is reported. */
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

  /** A problem between steps: which step may read or depend on which. */
  relational(code: KernelErrorCode, path: JsonPath, message: string, hint?: string): void {
    this.#relational.push(problem(code, path, message, hint));
  }

  /** The problems of the graph. */
  graph(problems: readonly Problem[]): void {
    this.#graph = problems.map(({ code, path, message, hint }) => problem(code, path, message, hint));
  }

  /** The problems of a scope inside this one. They keep their order and count as structural here. */
  addNested(problems: ProblemCollector): void {
    this.#structural.push(problems);
  }

  inOrder(): readonly Problem[] {
    const cycles = this.#graph.filter(({ code }) => code === "DEPENDENCY_CYCLE");
    const names = this.#graph.filter(({ code }) => code !== "DEPENDENCY_CYCLE");
    const structural = this.#structural.flatMap((each) => (each instanceof ProblemCollector ? each.inOrder() : [each]));
    return [...byDeclaration(structural), ...byDeclaration([...names, ...this.#relational]), ...cycles].map((each) =>
      withPrefix(each, this.#prefix),
    );
  }
}

function problem(code: string, path: JsonPath, message: string, hint: string | undefined): Problem {
  const text = boundText(message);
  return hint === undefined ? { code, path, message: text } : { code, path, message: text, hint: boundText(hint) };
}

/** A long text without its middle: both ends of a cycle tell more than its first half. */
function boundText(text: string): string {
  if (text.length <= TEXT_LENGTH_MAX) return text;
  const half = TEXT_LENGTH_MAX / 2;
  return `${text.slice(0, half)} … ${text.slice(-half)}`;
}

/** The same problem with its path in the enclosing document. */
function withPrefix(each: Problem, prefix: JsonPath): Problem {
  return prefix.length === 0 ? each : { ...each, path: [...prefix, ...each.path] };
}

function byDeclaration(problems: readonly Problem[]): readonly Problem[] {
  return problems.toSorted((a, b) => declaration(a) - declaration(b));
}

/** Problems of the workflow itself come before those of its steps. */
function declaration({ path }: Problem): number {
  return path[0] === "steps" && typeof path[1] === "number" ? path[1] : -1;
}
