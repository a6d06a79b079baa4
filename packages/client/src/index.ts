// The public interface of @segno/client. `segno/client` exports the same.

export { SegnoClient } from "./api/segno-client.ts";
export { ApiError, type ApiErrorParts, type ApiProblem } from "./errors/api-error.ts";
export type { ClientOptions } from "./http/connection.ts";
export type {
  ApiCommandResult,
  ApiExecution,
  ApiExecutionPage,
  ApiListedExecution,
  ApiListFilter,
  ApiProgress,
  ApiStart,
  ApiStep,
} from "./model/api-execution.ts";
export type { ApiApproval, ApiEvent, ApiLogLine, ApiLogPage, ApiWaiting } from "./model/api-inspection.ts";
export type { ApiEngineState, ApiTokenOwner, ApiWorkflow, ApiWorkflowDefinition } from "./model/api-server.ts";
export type {
  AbortOptions,
  ApiCancelOptions,
  ApiEventsOptions,
  ApiLogPageOptions,
  ApiLogsOptions,
  ApiRetryOptions,
  ApiStartOptions,
  ApiVote,
} from "./model/call-options.ts";
