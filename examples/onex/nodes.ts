// The nodes of the contracts in this folder. A node gets the outputs of its dependencies by their ids, and the payload of its
// action as input. The name of the step selects the work.

import type { StepContext } from "segno";

type Outputs = Readonly<Record<string, unknown>>;
type Work = (outputs: Outputs) => unknown;

interface Payload {
  readonly workflow_id: string;
  readonly step_id: string;
  readonly step_name: string;
}

const EFFECTS: Readonly<Record<string, Work>> = {
  "Extract Source A": () => [3, 1],
  "Extract Source B": () => [2],
  "Extract Source C": () => [5, 4],
  "Load Warehouse": ({ transform_merge: rows }) => `${(rows as number[]).length} rows loaded`,
  "Fetch Data": () => ({ city: "Lyon" }),
  "Persist Results": ({ enrich_data: record }) => `saved ${JSON.stringify(record)}`,
};

const COMPUTATIONS: Readonly<Record<string, Work>> = {
  "Transform Merge": (outputs) =>
    Object.values(outputs)
      .flat()
      .toSorted((a, b) => Number(a) - Number(b)),
  "Validate Schema": ({ fetch_data: record }) => record,
  "Enrich Data": ({ validate_schema: record }) => ({ ...(record as object), country: "France" }),
};

function node(works: Readonly<Record<string, Work>>) {
  return {
    execute(outputs: Outputs, { input, log }: StepContext): unknown {
      const { step_name: name } = input as unknown as Payload;
      const output = works[name]!(outputs);
      log.info(`${name}: ${JSON.stringify(output)}`);
      return output;
    },
  };
}

export const NodeEffect = node(EFFECTS);
export const NodeCompute = node(COMPUTATIONS);
