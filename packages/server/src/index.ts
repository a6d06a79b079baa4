// The public interface of @segno/server. `segno/server` exports the same.

import "@segno/contract/node-version";

export { serve } from "./app/serve.ts";
export type { RunningServer, ServeOptions, ServerLimits } from "./app/server-options.ts";
export { SCOPES, type TokenScope } from "./auth/scope.ts";
export type { TokenRecord } from "./auth/token.ts";
export { Tokens, type NewToken } from "./auth/tokens.ts";
export { ALLOWED_KINDS, type AllowedKind, type ContractRules } from "./contracts/contract-rules.ts";
export type { Hook, HookKey, HookSignature } from "./hooks/hook.ts";
export type { StreamConnection } from "./streams/stream-connection.ts";
export type { ProblemDocument, ProblemEntry } from "./errors/problem.ts";
export {
  route,
  type Answer,
  type AnswerHeaders,
  type ApiCaller,
  type ApiRequest,
  type DocumentedAnswer,
  type ApiRoute,
  type RouteContext,
  type RouteMethod,
  type RouteSpec,
} from "./routes/route.ts";
