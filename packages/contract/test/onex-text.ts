// ONEX contracts as text, short enough to be read in a test.

const HEADER = `workflow_coordination:
  workflow_definition:
    version: { major: 1, minor: 0, patch: 0 }
    workflow_metadata:
      version: { major: 1, minor: 0, patch: 0 }
      workflow_name: w
      workflow_version: { major: 1, minor: 2, patch: 3 }
      description: d
    execution_graph: { version: { major: 1, minor: 0, patch: 0 } }
`;

/** Where the list of steps stands in a text of `onexText`: its first step is in the line after it. */
export const STEPS_LINE: number = HEADER.split("\n").length;

/** The id of the step with this number. */
export function uuid(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
}

/** A contract with these steps, each written as the inside of a flow map. */
export function onexText(...steps: readonly string[]): string {
  const list = steps.map((step) => `    - { ${step} }\n`).join("");
  return `${HEADER}${steps.length === 0 ? "" : `  steps:\n${list}`}`;
}

/** A step with a number for an id, and numbers for what it depends on. */
export function stepText(number: number, dependsOn: readonly number[] = [], more = ""): string {
  const needs = dependsOn.length === 0 ? "" : `, depends_on: [${dependsOn.map(uuid).join(", ")}]`;
  return `step_id: ${uuid(number)}, step_name: s${number}, step_type: compute${needs}${more === "" ? "" : `, ${more}`}`;
}
