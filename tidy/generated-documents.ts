// Every file that is made from code and committed. A new one is a line here; `npm run generate` writes it, and a test
// fails when the committed text is not what the code makes now.

import { contractJsonSchemaText } from "../packages/contract/src/models/contract-json-schema.ts";
import { onexJsonSchemaText } from "../packages/contract/src/onex/onex-json-schema.ts";
import { allRoutes } from "../packages/server/src/app/all-routes.ts";
import { openApiText } from "../packages/server/src/openapi/openapi.ts";
import { API_FILES, apiDocument } from "./api-document.ts";
import { cliDocument } from "./cli-document.ts";
import { codeEntry } from "./code-entry.ts";
import { errorsDocument } from "./errors-document.ts";
import { grafanaDocument } from "./grafana-document.ts";
import { metricsDocument } from "./metrics-document.ts";
import { statesDocument } from "./states-document.ts";

export interface GeneratedDocument {
  /** Where it stands, from the root of the repository. */
  readonly file: string;
  /** Its whole text. The same code gives the same text on every machine. */
  readonly content: () => Promise<string>;
}

export const GENERATED_DOCUMENTS: readonly GeneratedDocument[] = [
  { file: "docs/reference/errors.md", content: async () => errorsDocument() },
  { file: "docs/reference/cli.md", content: async () => cliDocument() },
  { file: "docs/reference/metrics.md", content: async () => metricsDocument() },
  { file: "docs/grafana-dashboard.json", content: async () => grafanaDocument() },
  { file: "docs/states.md", content: async () => statesDocument() },
  { file: "packages/segno/src/code.ts", content: async () => codeEntry() },
  { file: "packages/contract/schema/contract.schema.json", content: async () => contractJsonSchemaText() },
  { file: "packages/contract/schema/onex.schema.json", content: async () => onexJsonSchemaText() },
  { file: "packages/server/openapi.json", content: async () => openApiText(allRoutes([])) },
  ...API_FILES.map((file) => ({ file, content: async () => apiDocument(file) })),
];
