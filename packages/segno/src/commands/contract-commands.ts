// Commands about contracts. Nothing that a contract names is run by them.

import { Option } from "commander";

import { GRAPH_FORMATS, type GraphFormat } from "../graph/graph-format.ts";
import { jsonOption, type CommandRegistry } from "./command-registry.ts";

export function addContractCommands(registry: CommandRegistry): void {
  registry.group("Contracts (nothing that they name is run):");

  registry
    .add("validate", ["segno validate workflows/*.yaml", "generate-workflow | segno validate -"])
    .description("check contracts and show every problem with its place")
    .argument("<file...>", "contracts, in YAML or JSON; - reads standard input")
    .addOption(jsonOption("the findings"))
    .action(registry.handler(async () => (await import("../verbs/validate.ts")).validate));

  registry
    .add("plan", [
      "segno plan release.yaml",
      `segno plan release.yaml --input '{"tag":"v1"}'`,
      "segno plan release.yaml --input @input.json --json",
    ])
    .description("show the steps wave by wave: what each needs, what it does, what would be skipped")
    .argument("<file>", "a contract, in YAML or JSON; - reads standard input")
    .option("--input <json>", "the input as JSON, or @file; conditions that it decides are decided")
    .addOption(jsonOption("the plan"))
    .action(registry.handler(async () => (await import("../verbs/plan.ts")).plan));

  registry
    .add("graph", [
      "segno graph release.yaml > release.mmd",
      "segno graph release.yaml --format svg > release.svg",
      "segno graph release.yaml --format dot | dot -Tpng > release.png",
    ])
    .description("draw the steps and their dependencies")
    .argument("<file>", "a contract, in YAML or JSON; - reads standard input")
    .addOption(formatOption())
    .action(registry.handler(async () => (await import("../verbs/graph.ts")).graph));
}

function formatOption(): Option {
  const standard: GraphFormat = "mermaid";
  return new Option("-f, --format <format>", "how to draw it").choices(GRAPH_FORMATS).default(standard);
}
