import type { WorkflowTemplate } from "../workflow-template.ts";

const CONTRACT = `# A first workflow whose steps are functions. The functions are in NAME.mts beside this file.
#   segno run NAME.yaml
#   segno run NAME.yaml --input '{"who":"Ada"}'
name: NAME

input:
  type: object
  properties: { who: { type: string } }

agents:
  greet: { module: ./NAME.mts, export: greet }
  count: { module: ./NAME.mts, export: count, thread: true } # on a worker thread

steps:
  - id: greet
    agent: greet
    input: { who: "\${ input.who || 'world' }" }
    retry: 3
    timeout: 30s

  - id: count
    agent: count
    input: { text: "\${ steps.greet.output.text }" }
    dependsOn: [greet]

output:
  text: \${ steps.greet.output.text }
  letters: \${ steps.count.output }
`;

/** `.mts` is a module whatever a `package.json` around it says, so none is needed. */
const MODULE = `// The steps of NAME.yaml. Node runs this file directly, without a build step.
//
// A step is a function of its input. Its return value is the output of the step, and must be JSON.

interface Greeting {
  readonly text: string;
}

export async function greet({ who }: { readonly who: string }): Promise<Greeting> {
  return { text: \`Hello, \${who}\` };
}

export function count({ text }: Greeting): number {
  return [...text].filter((letter) => letter !== " ").length;
}
`;

export const TYPESCRIPT: WorkflowTemplate = {
  about: "functions in TypeScript, without a build step",
  files: { ".yaml": CONTRACT, ".mts": MODULE },
  afterwards: [["show @last", "its steps and their outputs"]],
};
