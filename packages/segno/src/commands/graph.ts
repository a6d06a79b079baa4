// `segno graph`: draws steps and dependencies, or prints them for a program that draws.

import { Option } from "commander";

import { EXIT_CODES, type ExitCode } from "../errors/exit-code.ts";
import { GRAPH_FORMATS, type GraphFormat } from "../graph/graph-format.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { FILE_HELP, type CommandRegistry } from "./command-registry.ts";

interface GraphOptions {
  readonly format: GraphFormat;
}

const FORMAT_DEFAULT: GraphFormat = "mermaid";

export function addGraph(registry: CommandRegistry): void {
  registry
    .add("graph", [
      "segno graph release.yaml > release.mmd",
      "segno graph release.yaml --format svg > release.svg",
      "segno graph release.yaml --format dot | dot -Tpng > release.png",
    ])
    .description("draw the steps and their dependencies")
    .argument("<file>", FILE_HELP)
    .addOption(new Option("-f, --format <format>", "the output format").choices(GRAPH_FORMATS).default(FORMAT_DEFAULT))
    .action(registry.handler(graph));
}

async function graph(file: string, { format }: GraphOptions, terminal: Terminal): Promise<ExitCode> {
  const { loadContractDocument } = await import("../document/contract-document.ts");
  const loaded = await loadContractDocument(file);
  if (loaded.kind === "problems") {
    const { reportProblems } = await import("../reports/problem-report.ts");
    return reportProblems(loaded, terminal);
  }
  const { programFor } = await import("@segno/contract");
  const { graphPicture } = await import("../graph/graph-picture.ts");
  const { renderGraph } = await import("../graph/render-graph.ts");
  terminal.print(await renderGraph(graphPicture(programFor(loaded.definition)), format));
  return EXIT_CODES.ok;
}
