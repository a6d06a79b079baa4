import type { EdgeKind } from "@segno/kernel";

import { omitUndefined } from "../plan/omit-undefined.ts";
import type { GraphPicture, PictureNode } from "./graph-picture.ts";

/** The graph as data. `schemaVersion` increases when a field changes its meaning or is removed. */
export interface GraphJson {
  readonly schemaVersion: 1;
  readonly workflow: string;
  readonly version?: string;
  readonly nodes: readonly GraphJsonNode[];
  readonly edges: readonly { readonly from: string; readonly to: string; readonly on: EdgeKind }[];
}

export interface GraphJsonNode {
  readonly id: string;
  readonly name?: string;
  readonly kind: PictureNode["kind"];
  readonly does: string;
  readonly wave: number | null;
  readonly disabled: boolean;
}

export function graphJson({ workflow, version, nodes, edges }: GraphPicture): GraphJson {
  return {
    schemaVersion: 1,
    workflow,
    ...omitUndefined({ version }),
    nodes: nodes.map(jsonNode),
    edges: edges.map(({ from, to, kind }) => ({ from: nodes[from]!.id, to: nodes[to]!.id, on: kind })),
  };
}

function jsonNode({ id, name, kind, does, wave, isDisabled }: PictureNode): GraphJsonNode {
  return { id, ...omitUndefined({ name }), kind, does, wave: wave < 0 ? null : wave, disabled: isDisabled };
}
