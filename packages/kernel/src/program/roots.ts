// Roots: the parts of the context that an expression may read at a given position (DATA-1), checked at compile time.

import type { KernelErrorCode } from "../errors/catalogue.ts";
import type { Template } from "../model/definition.ts";
import type { JsonPath } from "../model/json.ts";
import { inBackticks, type Expression } from "../data/jmespath/expression.ts";
import { listReferences, type Reference } from "../data/jmespath/references.ts";
import { slipSuggestion } from "../data/jmespath/slips.ts";
import { compileSource, compileTemplate, templateReferences, type TemplateListener } from "../data/template.ts";
import type { CompileScope } from "./compile-scope.ts";
import type { ProblemCollector } from "./problem-collector.ts";
import type { CompiledCondition, CompiledRead } from "./program.ts";

export interface Roots {
  readonly names: readonly string[];
  /** Why a root that exists elsewhere is not available here. */
  readonly absent: Readonly<Record<string, string>>;
  /** The reading step; -1 for the workflow itself. */
  readonly step: number;
  readonly mayReadItself: boolean;
  /** Secrets are allowed only as whole values of input, env, stdin and headers. */
  readonly secrets: boolean;
  /** The secrets that the workflow declares; any secret if it declares none. */
  readonly declaredSecrets: ReadonlySet<string> | undefined;
  /** For the label of a map: the list whose items it names. */
  readonly labelled?: Expression;
}

const ALWAYS = ["execution", "input", "variables", "steps"];
const LABEL_ROOTS = ["item", "index", "input"];
const UNAVAILABLE_ROOTS: Readonly<Record<string, string>> = {
  previous: "`previous` needs a step with exactly one dependency",
  item: "`item` is available only inside a map",
  index: "`index` is available only inside a map or a repetition",
  last: "`last` is available only inside a repetition",
  params: "`params` is available only in templates of code workflows",
  secrets: "a secret must be a whole value of `input`, `env`, `stdin` or a header: `${ secrets.name }`",
};

/** For the output of a workflow. */
export const WORKFLOW_ROOTS: Roots = {
  names: ALWAYS,
  absent: UNAVAILABLE_ROOTS,
  step: -1,
  mayReadItself: false,
  secrets: false,
  declaredSecrets: undefined,
};

export function stepRoots(position: {
  readonly step: number;
  readonly inMap: boolean;
  readonly inRepeat: boolean;
  readonly dependencies: number;
  readonly secrets: ReadonlySet<string> | undefined;
}): Roots {
  const names = scopeNames(position);
  if (position.dependencies === 1) names.push("previous");
  const { step, secrets: declaredSecrets } = position;
  return { names, absent: UNAVAILABLE_ROOTS, step, mayReadItself: false, secrets: false, declaredSecrets };
}

/** For the `until` of a repetition, which is evaluated when all its steps have ended. */
export function untilRoots(surroundings: Pick<CompileScope, "inMap" | "inRepeat">): Roots {
  return { ...WORKFLOW_ROOTS, names: scopeNames(surroundings) };
}

function scopeNames({ inMap, inRepeat }: Pick<CompileScope, "inMap" | "inRepeat">): string[] {
  const names = [...ALWAYS];
  if (inMap) names.push("item");
  if (inRepeat) names.push("last");
  if (inMap || inRepeat) names.push("index");
  return names;
}

const NOT_IN_LABEL = "a label can read only `item`, `index` and `input`, which do not change while the map runs";

/** For the label of a map's items. A label is computed on every display, so it reads only constant data. */
export function labelRoots(roots: Roots, over: Expression | undefined): Roots {
  const absent: Record<string, string> = { ...UNAVAILABLE_ROOTS };
  for (const root of [...ALWAYS, "previous"]) absent[root] = NOT_IN_LABEL;
  return { ...roots, names: LABEL_ROOTS, absent, ...(over === undefined ? {} : { labelled: over }) };
}

export function withSecrets(roots: Roots): Roots {
  return { ...roots, secrets: true };
}

export function compileRead(
  template: Template,
  path: JsonPath,
  roots: Roots,
  problems: ProblemCollector,
): CompiledRead {
  const compiled = compileTemplate(template, path, new RootListener(roots, problems));
  return { template: compiled, references: templateReferences(compiled) };
}

/** A bare expression, such as `when`. Undefined if it does not parse; the problem is reported. */
export function compileCondition(
  source: string,
  path: JsonPath,
  roots: Roots,
  problems: ProblemCollector,
): CompiledCondition | undefined {
  const expression = compileSource(source, path, new RootListener(roots, problems));
  return typeof expression === "string" ? undefined : { expression, references: listReferences(expression) };
}

/** An expression over one value, such as `select`: it has no roots to check. */
export function compileSelect(source: string, path: JsonPath, problems: ProblemCollector): Expression | undefined {
  const listener: TemplateListener = {
    problem: (code, at, message, text) => problems.structural(code, at, message, slipHint(text)),
    expression: () => undefined,
    secret: () => undefined,
  };
  const expression = compileSource(source, path, listener);
  return typeof expression === "string" ? undefined : expression;
}

class RootListener implements TemplateListener {
  readonly #roots: Roots;
  readonly #problems: ProblemCollector;

  constructor(roots: Roots, problems: ProblemCollector) {
    this.#roots = roots;
    this.#problems = problems;
  }

  problem(code: KernelErrorCode, path: JsonPath, message: string, source?: string): void {
    const quoted = source === undefined ? undefined : this.#problems.quoteHint(source);
    this.#problems.structural(code, path, message, quoted ?? slipHint(source, this.#roots.names));
  }

  secret(name: string, path: JsonPath): void {
    const { secrets, declaredSecrets } = this.#roots;
    if (secrets && declaredSecrets?.has(name) === false) undeclaredSecret(name, path, declaredSecrets, this.#problems);
    if (!secrets)
      this.#problems.structural(
        "SECRET_MISPLACED",
        path,
        `the secret \`${name}\` is used where its value would be stored`,
        UNAVAILABLE_ROOTS["secrets"],
      );
  }

  expression(expression: Expression, path: JsonPath): void {
    const { step, mayReadItself, names: roots, labelled } = this.#roots;
    this.#problems.reads.push({
      expression,
      path,
      step,
      mayReadItself,
      roots,
      ...(labelled === undefined ? {} : { labelled }),
    });
    for (const reference of listReferences(expression)) this.#checkRoot(reference, expression, path);
  }

  #checkRoot(reference: Reference, expression: Expression, path: JsonPath): void {
    const root = reference.path[0];
    if (root === undefined || this.#roots.names.includes(root)) return;
    const reason = Object.hasOwn(this.#roots.absent, root) ? this.#roots.absent[root] : undefined;
    if (root === "secrets") {
      this.#problems.structural(
        "SECRET_MISPLACED",
        path,
        `${inBackticks(expression.source)} uses a secret inside a longer expression`,
        reason,
      );
    } else if (reason === undefined) {
      const quoted = this.#problems.quoteHint(expression.source);
      // `steps.build-a` parses as `steps.build - a`, so only the missing quotes are reported.
      if (quoted !== undefined) return this.#problems.reportMisquoted(expression, path, quoted);
      const { names } = this.#roots;
      const hint =
        slipHint(expression.source, names) ??
        this.#problems.didYouMean(root, names) ??
        `the roots are ${names.join(", ")}`;
      this.#problems.structural(
        "UNKNOWN_ROOT",
        path,
        `${inBackticks(expression.source)} reads \`${root}\`, which does not exist`,
        hint,
      );
    } else {
      this.#problems.structural(
        "ROOT_NOT_HERE",
        path,
        `${inBackticks(expression.source)} reads \`${root}\`, which is not available at this place`,
        reason,
      );
    }
  }
}

function slipHint(source: string | undefined, roots?: readonly string[]): string | undefined {
  const meant = source === undefined ? undefined : slipSuggestion(source, roots);
  return meant === undefined ? undefined : `write ${inBackticks(meant)}`;
}

export function undeclaredSecret(
  name: string,
  path: JsonPath,
  declared: ReadonlySet<string>,
  problems: ProblemCollector,
): void {
  const hint = problems.didYouMean(name, declared) ?? "add it to the workflow's `secrets`";
  problems.structural("UNKNOWN_SECRET", path, `the workflow does not declare the secret \`${name}\``, hint);
}
