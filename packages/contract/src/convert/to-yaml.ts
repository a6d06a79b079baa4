// Writes a definition as a readable contract: shorthands, short lists on one line, scripts as blocks.

import type { Definition } from "@segno/kernel";
import { Document, isScalar, visit } from "yaml";
import type { YAMLSeq } from "yaml";

import { documentFrom } from "./document-from-definition.ts";

const INLINE_MAX = 80;

/** The text loads again to a definition with the same hash. Comments and the original formatting are lost. */
export function toYaml(definition: Definition): string {
  // Shared values of the definition are written twice, because anchors are harder to read.
  const document = new Document(documentFrom(definition), {
    version: "1.2",
    schema: "core",
    aliasDuplicateObjects: false,
  });
  visit(document, { Seq: (_, list) => void (list.flow = isShort(list)) });
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

function isShort(list: YAMLSeq): boolean {
  const length = list.items.reduce<number>((sum, item) => sum + scalarLength(item), 0);
  return length <= INLINE_MAX;
}

function scalarLength(item: unknown): number {
  if (!isScalar(item)) return Number.POSITIVE_INFINITY;
  const text = String(item.value);
  return text.includes("\n") ? Number.POSITIVE_INFINITY : text.length + 2;
}
