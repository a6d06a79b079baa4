import type { WorkflowTemplate } from "../workflow-template.ts";

const CONTRACT = `# A first workflow: commands, two of them side by side, and what came out of them put together.
#   segno run NAME.yaml
#   segno run NAME.yaml --input '{"who":"Ada"}'
name: NAME

input:
  type: object
  properties: { who: { type: string } }

steps:
  - id: greet
    run: echo "Hello, $WHO" # a shell script; values come by env only
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
  about: "shell commands, some of them side by side",
  files: { ".yaml": CONTRACT },
  afterwards: [["logs @last", "what the steps wrote"]],
};
