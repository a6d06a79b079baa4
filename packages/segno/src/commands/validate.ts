// `segno validate`: checks contracts. Every file is checked, also after a file with problems.

import type { Failure } from "@segno/kernel";

import type { LoadedContract } from "../document/contract-document.ts";
import { EXIT_CODES, type ExitCode } from "../errors/exit-code.ts";
import { safeJson } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { jsonOption, SECRETS_HELP, type CommandRegistry } from "./command-registry.ts";

interface ValidateOptions {
  readonly json?: boolean;
  readonly secrets?: string;
}

export function addValidate(registry: CommandRegistry): void {
  registry
    .add("validate", ["segno validate workflows/*.yaml", "generate-workflow | segno validate -"])
    .description("check contracts and show every problem with its position")
    .argument(
      "<file...>",
      "contracts, in YAML or JSON, or modules with a workflow: file.ts, file.ts#export; - reads standard input",
    )
    .option("--secrets <file>", SECRETS_HELP)
    .addOption(jsonOption("the findings"))
    .action(registry.handler(validate));
}

async function validate(
  files: readonly string[],
  { json, secrets }: ValidateOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const { loadContractDocument } = await import("../document/contract-document.ts");
  const { contractFinding, printContract } = await import("../reports/contract-report.ts");
  const findings: object[] = [];
  let isValid = true;
  for (const file of files) {
    const loaded: LoadedContract = await loadContractDocument(file);
    if (loaded.kind === "problems") isValid = false;
    const warning = await findWarning(loaded, secrets);
    if (json === true) findings.push(contractFinding(loaded, warning));
    else printContract(loaded, terminal, warning);
  }
  if (json === true) terminal.print(`${safeJson({ schemaVersion: 1, ok: isValid, files: findings })}\n`);
  return isValid ? EXIT_CODES.ok : EXIT_CODES.invalid;
}

/** A missing secret is no problem of the contract: a step that is skipped needs none. */
async function findWarning(loaded: LoadedContract, secrets: string | undefined): Promise<Failure | undefined> {
  if (loaded.kind === "problems") return undefined;
  const { checkSecrets } = await import("../journal/secret-check.ts");
  return checkSecrets(loaded.definition, secrets);
}
