// `segno/server`: the HTTP API of an engine, with everything that @segno/server exports.

import "@segno/contract/node-version";

export {
  route,
  serve,
  SCOPES,
  Tokens,
  type Answer,
  type AnswerHeaders,
  type ApiCaller,
  type ApiRequest,
  type DocumentedAnswer,
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
  type TokenDocuments,
  type TokenRecord,
} from "@segno/server";
