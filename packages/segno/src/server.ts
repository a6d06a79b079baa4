// `segno/server`: the HTTP API of an engine, with everything that @segno/server exports.

import "@segno/contract/node-version";

export { serve } from "./api/serve.ts";
export {
  route,
  SCOPES,
  ALLOWED_KINDS,
  Tokens,
  type AllowedKind,
  type Answer,
  type AnswerHeaders,
  type ApiCaller,
  type ApiRequest,
  type ContractRules,
  type DocumentedAnswer,
  type Hook,
  type HookKey,
  type HookSignature,
  type NewToken,
  type ProblemDocument,
  type ProblemEntry,
  type ApiRoute,
  type RouteContext,
  type RouteMethod,
  type RouteSpec,
  type RunningServer,
  type TokenScope,
  type ServeOptions,
  type ServerLimits,
  type StreamConnection,
  type TokenRecord,
} from "@segno/server";
