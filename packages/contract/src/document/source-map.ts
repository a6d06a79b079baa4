// The position of each value of a document in its text: a tree parallel to the value, which is followed by a path.

import type { JsonPath } from "@segno/kernel";

export interface SourceNode {
  readonly offset: number;
  readonly children: ReadonlyMap<string | number, SourceChild>;
  /** The value here was refused; the value that replaces it says nothing about the author's intention. */
  readonly isInvalid: boolean;
  /** Keys of this map were refused, so a key may only seem to be missing. */
  readonly isIncomplete: boolean;
}

export interface SourceChild {
  /** The position of the key; for an item of a list, that of the item. */
  readonly keyOffset: number;
  readonly node: SourceNode;
}

/** Returns the position of a value, or of the nearest enclosing value that exists. */
export function locate(root: SourceNode, path: JsonPath, target: "value" | "key" = "value"): number {
  let node = root;
  let offset = root.offset;
  for (const [depth, part] of path.entries()) {
    const child = node.children.get(part);
    if (child === undefined) return offset;
    offset = target === "key" && depth === path.length - 1 ? child.keyOffset : child.node.offset;
    node = child.node;
  }
  return offset;
}

/** Whether the path ends in or passes through a refused value. */
export function isUnderError(root: SourceNode, path: JsonPath): boolean {
  let node: SourceNode | undefined = root;
  for (const part of path) {
    if (node === undefined) return false;
    if (node.isInvalid) return true;
    node = node.children.get(part)?.node;
  }
  return node?.isInvalid ?? false;
}

export function isIncomplete(root: SourceNode, path: JsonPath): boolean {
  let node: SourceNode | undefined = root;
  for (const part of path) node = node?.children.get(part)?.node;
  return node?.isIncomplete ?? false;
}
