// @segno/code: coding agents on a git repository.

import "@segno/contract/node-version";

export { CodeError } from "./errors/code-error.ts";
export type { CodeErrorCode } from "./errors/error-codes.ts";
