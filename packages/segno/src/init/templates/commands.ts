import type { WorkflowTemplate } from "../workflow-template.ts";

const CONTRACT = `# A first workflow: commands, two of which run in parallel, and a last one that combines their output.
#   segno run NAME.yaml
#   segno run NAME.yaml --input '{"who":"Ada"}'
name: NAME

input:
  type: object
  properties: { who: { type: string } }

steps:
  - id: greet
    run: echo "Hello, $WHO" # a shell script; pass values by env only
    env: { WHO: "\${ input.who || 'world' }" }

  - id: count
    run: echo "\${#TEXT} letters"
    env: { TEXT: "\${ steps.greet.output.stdout }" }
    dependsOn: [greet]

  - id: shout
    run: echo "$TEXT" | tr a-z A-Z
    env: { TEXT: "\${ steps.greet.output.stdout }" }
    dependsOn: [greet]
    timeout: 1m

  - id: report
    exec: [echo, "\${ steps.shout.output.stdout }!", "(\${ steps.count.output.stdout })"] # no shell
    dependsOn: [count, shout]

output: \${ steps.report.output.stdout }
`;

export const COMMANDS: WorkflowTemplate = {
  about: "shell commands, some of which run in parallel",
  files: { ".yaml": CONTRACT },
  afterwards: [["logs @last", "the output of the steps"]],
};
