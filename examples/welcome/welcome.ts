// examples/welcome/welcome.ts
import { workflow } from "segno";

export const welcome = workflow<{ name: string }>("welcome")
  .step("account", ({ input }) => ({ user: input.name.toLowerCase() }))
  .step("mail", { dependsOn: ["account"] }, ({ outputs, attempt }) => {
    if (attempt === 1) throw new Error("the mail server is busy");
    return `sent to ${outputs.account.user}@example.com`;
  })
  .step("avatar", { dependsOn: ["account"] }, ({ outputs }) => `${outputs.account.user}.png`)
  .output(({ outputs }) => ({ mail: outputs.mail, avatar: outputs.avatar }));
