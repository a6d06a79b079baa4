// The nodes and edges to draw, independent of the output format.

import { EDGE_KINDS, type ActionDefinition, type EdgeKind, type Program, type StepId } from "@segno/kernel";

import { actionText } from "../plan/action-text.ts";

export interface GraphPicture {
  readonly workflow: string;
  readonly version: string | undefined;
  readonly nodes: readonly PictureNode[];
  /** Ordered by the dependent step, in the order of declaration. */
  readonly edges: readonly PictureEdge[];
  readonly waveCount: number;
}

export interface PictureNode {
  readonly id: StepId;
  readonly name: string | undefined;
  readonly kind: ActionDefinition["kind"];
  readonly does: string;
  /** -1 for a step without a wave, because it is disabled. */
  readonly wave: number;
  readonly isDisabled: boolean;
}

export interface PictureEdge {
  /** Indexes into `nodes`. */
  readonly from: number;
  readonly to: number;
  readonly kind: EdgeKind;
}

export function graphPicture(program: Program): GraphPicture {
  const { definition, graph, order } = program;
  return {
    workflow: definition.name,
    version: definition.version,
    nodes: definition.steps.map(({ id, name, action }, index) => ({
      id,
      name,
      kind: action.kind,
      does: actionText(action),
      wave: order.waveOf[index]!,
      isDisabled: graph.disabled[index] === 1,
    })),
    edges: pictureEdges(program),
    waveCount: order.waveOffsets.length - 1,
  };
}

function pictureEdges({ graph }: Program): readonly PictureEdge[] {
  const { offsets, targets, kinds } = graph.dependencies;
  const edges: PictureEdge[] = [];
  for (let to = 0; to < graph.size; to++) {
    for (let edge = offsets[to]!; edge < offsets[to + 1]!; edge++) {
      edges.push({ from: targets[edge]!, to, kind: EDGE_KINDS[kinds[edge]!]! });
    }
  }
  return edges;
}
