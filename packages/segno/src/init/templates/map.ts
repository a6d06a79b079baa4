import type { WorkflowTemplate } from "../workflow-template.ts";

const CONTRACT = `# A first workflow with a map: it runs the same steps for each item of a list, two items at once.
#   segno run NAME.yaml
#   segno run NAME.yaml --input '{"cities":["Rome","Lima"]}'
name: NAME

input:
  type: object
  properties: { cities: { type: array, items: { type: string } } }

variables:
  cities: [Oslo, Lagos, Quito, Hanoi]

steps:
  - id: visit
    map:
      over: input.cities || variables.cities
      label: "\${ item }"
      concurrency: 2 # items at once
      tolerance: 1 # the number of items that may fail without failing the workflow
      steps:
        - id: write
          run: echo "Greetings from $CITY"
          env: { CITY: "\${ item }" }
          retry: 2

  - id: count
    exec: [echo, "\${ length(steps.visit.output) } postcards"]
    dependsOn: [visit]

output:
  summary: \${ steps.count.output.stdout }
  postcards: \${ steps.visit.output[*].stdout }
`;

export const MAP: WorkflowTemplate = {
  about: "the same steps for each item of a list",
  files: { ".yaml": CONTRACT },
  afterwards: [["show @last", "the steps of each item"]],
};
