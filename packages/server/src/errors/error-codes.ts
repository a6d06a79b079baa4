// The error codes of the server, with their meaning and their remedy. Codes of the engine keep their own.

import "@segno/contract/node-version";

export const SERVER_CODES = {
  TOKEN_MISSING: {
    meaning: "The request has no token and no session, or the token is unknown, expired or revoked.",
    remedy: "Send a valid token: `Authorization: Bearer <token>`.",
  },
  SCOPE_MISSING: {
    meaning: "The token is valid, but does not have the scope of this route.",
    remedy: "Use a token with that scope.",
  },
  HOST_REFUSED: {
    meaning: "The server does not answer under the name in the `Host` header.",
    remedy: "Use the address that the server prints, or add the name to `hosts`.",
  },
  ORIGIN_REFUSED: {
    meaning: "A page of another origin sent the request with the cookie of a session.",
    remedy: "Send the request from the server's own page, or with a token.",
  },
  REQUEST_INVALID: {
    meaning: "The path, the query, a header or the body of the request is not valid.",
    remedy: "Correct the fields that `problems` lists.",
  },
  MEDIA_TYPE_UNSUPPORTED: {
    meaning: "The body of the request is not `application/json`, or it is compressed.",
    remedy: "Send plain JSON with `Content-Type: application/json`.",
  },
  BODY_TOO_LARGE: {
    meaning: "The body of the request is larger than the route allows.",
    remedy: "Send a smaller body; a call that does not wait may have 10 MB.",
  },
  HEADERS_TOO_LARGE: {
    meaning: "The headers of the request have more than 16 kB together.",
    remedy: "Send fewer or shorter headers.",
  },
  REQUEST_TIMEOUT: {
    meaning: "The headers or the body of the request did not arrive in the time that the server waits for them.",
    remedy: "Send the request again, without pauses.",
  },
  ROUTE_UNKNOWN: {
    meaning: "There is no such route, or it does not have this method.",
    remedy: "Look up the routes in `/openapi.json`.",
  },
  WORKFLOW_UNKNOWN: {
    meaning: "The server has no workflow of this name.",
    remedy: "Look up the names in `GET /v1/workflows`.",
  },
  DEFINITION_UNKNOWN: {
    meaning: "The server has no definition with this hash.",
    remedy: "Use a hash that an event, or `GET /v1/workflows`, names.",
  },
  OUTPUT_MISSING: {
    meaning: "The step, or the execution, has no output: it has not succeeded, or not yet.",
    remedy: "Look up its status in `GET /v1/executions/{id}`.",
  },
  WORKFLOW_FIXED: {
    meaning: "The workflow was loaded at the start of the server, so the API cannot replace it.",
    remedy: "Change its file and start the server again, or use another name.",
  },
  KIND_REFUSED: {
    meaning:
      "A contract has a kind of step, or names an agent, that the server does not allow in contracts of its API.",
    remedy: "Use another kind of step, or let the operator allow it: `segno serve --allow`.",
  },
  HOOK_UNKNOWN: {
    meaning: "The server has no hook of this name.",
    remedy: "Check the name; the operator of the server configures hooks.",
  },
  SIGNATURE_INVALID: {
    meaning: "The request of a hook is not signed with the secret of the hook, or was signed too long ago.",
    remedy: "Sign the bytes of the body with the secret of the hook, and check the clock of the sender.",
  },
  TOKEN_UNKNOWN: {
    meaning: "There is no token of this name.",
    remedy: "List the tokens: `segno token list`.",
  },
  LOGIN_CODE_INVALID: {
    meaning: "The code of a login link is unknown, used or older than ten minutes.",
    remedy: "Use a new login link; `segno serve` prints one when it starts.",
  },
  RATE_LIMITED: {
    meaning: "The token has sent more requests, or the address more wrong tokens, than the server allows.",
    remedy: "Wait as long as `Retry-After` says.",
  },
  STREAMS_LIMITED: {
    meaning: "The token, or the server, has as many open streams as it may have.",
    remedy: "Close a stream first.",
  },
  EVENT_ID_INVALID: {
    meaning: "`Last-Event-ID` is not the id of an event of this execution.",
    remedy: "Send the id of the last event that arrived, or no id.",
  },
  SERVER_FAULT: {
    meaning: "The server failed in a way that it does not know.",
    remedy: "Read the log of the server; the request may be sent again.",
  },
  SERVER_CLOSING: {
    meaning: "The server is closing and takes no further requests.",
    remedy: "Send the request again to a server that runs.",
  },
} as const;

export type ServerErrorCode = keyof typeof SERVER_CODES;
