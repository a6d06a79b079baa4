// The nodes and edges to draw, independent of the output format.

import { EDGE_KINDS, type ActionDefinition, type EdgeKind, type Program, type StepId } from "@segno/kernel";

import { stepText, WrittenSteps } from "../plan/written-steps.ts";

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
  const { definition, graph } = program;
  const written = WrittenSteps.of(program);
  const drawn = [...definition.steps.keys()].filter((step) => written.includes(step));
  return {
    workflow: definition.name,
    version: definition.version,
    nodes: drawn.map((index) => {
      const step = definition.steps[index]!;
      return {
        id: step.id,
        name: step.name,
        kind: step.action.kind,
        does: stepText(step, definition.name),
        wave: written.waveOf(index) ?? -1,
        isDisabled: graph.disabled[index] === 1,
      };
    }),
    edges: pictureEdges(program, drawn),
    waveCount: written.waves.length,
  };
}

function pictureEdges({ graph }: Program, drawn: readonly number[]): readonly PictureEdge[] {
  const { offsets, targets, kinds } = graph.dependencies;
  const nodes = new Map(drawn.map((step, node) => [step, node]));
  const edges: PictureEdge[] = [];
  for (const [step, to] of nodes) {
    for (let edge = offsets[step]!; edge < offsets[step + 1]!; edge++) {
      const from = nodes.get(targets[edge]!);
      if (from !== undefined) edges.push({ from, to, kind: EDGE_KINDS[kinds[edge]!]! });
    }
  }
  return edges;
}
