export { ContractError, type LocatedProblem } from "./contract-error.ts";
export { readContractFile } from "./contract-file.ts";
export { contractJsonSchema, contractJsonSchemaText } from "./contract-json-schema.ts";
export { definitionHash } from "./definition-hash.ts";
export { DOCUMENT_LIMITS } from "./document/document-limits.ts";
export { formatProblems, type FormatOptions } from "./format-problems.ts";
export { loadContract, type LoadOptions } from "./load-contract.ts";
export { createSchemaCheck, type SchemaCheck } from "./schema/schema-check.ts";
export { toYaml } from "./to-yaml.ts";
