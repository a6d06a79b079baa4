// examples/testing/refund.ts
import { agent, approval, sleep, workflow } from "segno";

/** Asks a person, waits for the bank's opening hours, and pays. The agent `pay` is registered with the engine. */
export const refund = workflow<{ order: string; cents: number }>("refund")
  .step("ask", { when: ({ input }) => input.cents > 10_000 }, approval({ by: ["ann", "bob"], expires: "2d" }))
  .step("cool-down", { dependsOn: ["ask"] }, sleep("1d"))
  .step("pay", { dependsOn: ["cool-down"], retry: { attempts: 3, base: "10s" } }, agent<string>("pay"))
  .output(({ outputs }) => outputs.pay);
