import type { WorkflowTemplate } from "../workflow-template.ts";

const CONTRACT = `# A first workflow that waits for a person. The wait survives restarts.
#   segno run NAME.yaml
#   segno approve @last ask            in another terminal; or segno reject @last ask
name: NAME

input:
  type: object
  properties: { version: { type: string } }

steps:
  - id: build
    run: echo "built $VERSION"
    env: { VERSION: "\${ input.version || 'v1' }" }

  - id: ask
    approve:
      message: "Publish? The build printed: \${ steps.build.output.stdout }"
      expires: 1d
      onExpire: reject # the decision when the approval expires
    dependsOn: [build]

  - id: publish
    run: echo "published $VERSION"
    env: { VERSION: "\${ input.version || 'v1' }" }
    dependsOn: [ask]

output: \${ steps.publish.output.stdout }
`;

export const APPROVAL: WorkflowTemplate = {
  about: "a step that waits for an approval",
  files: { ".yaml": CONTRACT },
  afterwards: [
    ["approve @last ask", "in another terminal, while it waits"],
    ["why @last", "what it waits for"],
  ],
};
