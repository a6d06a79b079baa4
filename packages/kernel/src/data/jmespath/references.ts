// The parts of the root context that an expression can read.
//
// Job: a sound over-approximation, computed without data. If two contexts agree on every reference of an expression (and on which of
// the objects along the path exist), the expression gives the same result for both.
// Not its job: the meaning of the roots.
//
// It is an evaluation over two abstract values: "the part of the context at this path", and "made from parts that are already
// reported". A part is reported when it is used for anything but reading one more field.
//
// Invariants
//   REF-1  Everything that is read from the second kind of value is inside a part that is reported.
//   REF-2  References are in the order of reading, without duplicates.

import type { Expression } from "./expression.ts";
import type { ExpressionNode } from "./node.ts";

/** A chain of fields from the root context; the empty one is the whole context. */
export interface Reference {
  readonly path: readonly string[];
}

export function listReferences(expression: Expression): readonly Reference[] {
  return new ReferenceReader().read(expression.root);
}

/** A path as a linked list: copying whole paths at every pipe takes quadratic time. */
interface LinkedPath {
  readonly before: LinkedPath | undefined;
  readonly fields: readonly string[];
}

type ReferencePath = LinkedPath | "reported";

const WHOLE: LinkedPath = Object.freeze({ before: undefined, fields: Object.freeze([]) });

class ReferenceReader {
  readonly #found = new Map<string, Reference>();
  readonly #slots: ReferencePath[] = [];

  read(root: ExpressionNode): readonly Reference[] {
    this.#report(this.#visit(root, WHOLE));
    return [...this.#found.values()];
  }

  #report(value: ReferencePath): "reported" {
    if (value !== "reported") {
      const path = toPath(value);
      const key = JSON.stringify(path);
      if (!this.#found.has(key)) this.#found.set(key, Object.freeze({ path: Object.freeze(path) }));
    }
    return "reported";
  }

  #reportAll(nodes: readonly ExpressionNode[], current: ReferencePath): "reported" {
    for (const node of nodes) this.#report(this.#visit(node, current));
    return "reported";
  }

  #visit(node: ExpressionNode, current: ReferencePath): ReferencePath {
    switch (node.kind) {
      case "current":
        return current;
      case "root":
        return WHOLE;
      case "path":
        return this.#visitPath(node.steps, current);
      case "pipe":
        return node.parts.reduce((value, part) => this.#visit(part, value), current);
      case "chain":
        return this.#visitChain(node.base, node.links, current);
      case "let":
        node.values.forEach((bound, index) => {
          this.#slots[node.firstSlot + index] = this.#visit(bound, current);
        });
        return this.#visit(node.body, current);
      case "variable":
        return this.#slots[node.slot] ?? "reported";
      case "slice":
        return this.#report(current);
      case "literal":
      case "unbound":
        return "reported";
      default:
        return this.#visitMaking(node, current);
    }
  }

  #visitPath(steps: readonly (string | number)[], current: ReferencePath): ReferencePath {
    if (current === "reported") return current;
    const end = steps.findIndex((step) => typeof step === "number");
    const fields = steps.slice(0, end < 0 ? steps.length : end) as readonly string[];
    const trail = { before: current, fields };
    return end < 0 ? trail : this.#report(trail);
  }

  /** A link sees its value only if that is not null, so every value but the last one is read itself. */
  #visitChain(base: ExpressionNode, links: readonly ExpressionNode[], current: ReferencePath): ReferencePath {
    let value = this.#visit(base, current);
    for (const link of links) {
      if (link.kind !== "path") this.#report(value);
      value = this.#visit(link, value);
    }
    return value;
  }

  /** The kinds that give a new value, or one that was chosen by reading others. */
  #visitMaking(node: Exclude<ExpressionNode, { kind: SimpleKind }>, current: ReferencePath): "reported" {
    switch (node.kind) {
      case "or":
      case "and":
        return this.#reportAll(node.parts, current);
      case "not":
      case "sign":
      case "flatten":
        return this.#reportAll([node.operand], current);
      case "compare":
      case "arithmetic":
        return this.#reportAll([node.first, ...node.rest.map((operation) => operation.operand)], current);
      case "ternary":
        return this.#reportAll([node.condition, node.whenTrue, node.whenFalse], current);
      case "list":
      case "first-non-null":
        return this.#reportAll(node.items, current);
      case "hash":
        return this.#reportAll(
          node.entries.map((entry) => entry.value),
          current,
        );
      case "project":
      case "project-values":
        this.#reportAll([node.operand], current);
        return this.#reportAll([node.each], "reported");
      case "filter":
        this.#reportAll([node.operand], current);
        return this.#reportAll([node.condition, node.each], "reported");
      case "call":
        this.#reportAll(node.args, current);
        return this.#reportAll(node.by === undefined ? [] : [node.by], "reported");
    }
  }
}

function toPath(trail: LinkedPath): readonly string[] {
  const pieces: (readonly string[])[] = [];
  for (let each: LinkedPath | undefined = trail; each !== undefined; each = each.before) pieces.push(each.fields);
  return pieces.toReversed().flat();
}

type SimpleKind = "current" | "root" | "path" | "pipe" | "chain" | "let" | "variable" | "slice" | "literal" | "unbound";
