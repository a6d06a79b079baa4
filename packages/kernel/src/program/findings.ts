// Findings: problems as they are found, handed out in the order that GRAPH-6 asks for.

import type { ErrorCode } from "../errors/catalogue.ts";
import type { Problem } from "../errors/problem.ts";
import type { JsonPath } from "../model/json.ts";
import { inBackticks, type Expression } from "../data/jmespath/expression.ts";
import { hyphenSuggestion } from "../data/jmespath/hyphens.ts";

/** An expression somewhere in a definition, to be checked once the graph is known. */
export interface Read {
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

export class Findings {
  readonly reads: Read[] = [];
  readonly #ids: readonly string[];
  readonly #misquoted = new Set<Expression>();
  readonly #structural: Problem[] = [];
  readonly #relational: Problem[] = [];

  constructor(ids: readonly string[]) {
    this.#ids = ids;
  }

  /** A source with its ids quoted, where the lack of quotes may be what is wrong with it. */
  quoted(source: string): string | undefined {
    const quoted = hyphenSuggestion(source, this.#ids);
    return quoted === undefined ? undefined : `an id with a hyphen is quoted: \`${quoted}\``;
  }

  /** An id that lacks its quotes. It is reported once, and nothing else is said about that expression. */
  misquoted(expression: Expression, path: JsonPath, hint: string): void {
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
  structural(code: ErrorCode, path: JsonPath, message: string, hint?: string): void {
    this.#structural.push(problem(code, path, message, hint));
  }

  /** A problem between steps: who may read or depend on whom. */
  relational(code: ErrorCode, path: JsonPath, message: string, hint?: string): void {
    this.#relational.push(problem(code, path, message, hint));
  }

  /** A nested definition's problems keep their own order and count as structural here. */
  nested(problems: readonly Problem[]): void {
    this.#structural.push(...problems);
  }

  inOrder(graph: readonly Problem[], prefix: JsonPath): readonly Problem[] {
    const cycles = graph.filter(({ code }) => code === "DEPENDENCY_CYCLE");
    const names = graph.filter(({ code }) => code !== "DEPENDENCY_CYCLE");
    const relational = [...names, ...this.#relational].toSorted((a, b) => declaration(a) - declaration(b));
    const structural = this.#structural.toSorted((a, b) => declaration(a) - declaration(b));
    return [...structural, ...relational, ...cycles].map((found) => moved(found, prefix));
  }
}

function problem(code: ErrorCode, path: JsonPath, message: string, hint: string | undefined): Problem {
  return hint === undefined ? { code, path, message } : { code, path, message, hint };
}

/** The same problem, seen from the document that holds the one it was found in. */
function moved(found: Problem, prefix: JsonPath): Problem {
  return prefix.length === 0 ? found : { ...found, path: [...prefix, ...found.path] };
}

/** Problems of the workflow itself come before those of its steps. */
function declaration({ path }: Problem): number {
  return path[0] === "steps" && typeof path[1] === "number" ? path[1] : -1;
}
