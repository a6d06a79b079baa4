// The actions that a runner executes: `run`, `exec`, `agent`, `http`. Steps and compensations have these keys.

import type { Json } from "@segno/kernel";
import type { z } from "zod";

import { oneOf, strictObject, union, json, list, record, scalar, string } from "./zod-helpers.ts";
import { headerNameSchema, nameSchema } from "./name.ts";

/** A value that becomes text: in arguments, environment variables and headers. */
export type Scalar = string | number | boolean;

/** An HTTP request with method, headers and body. */
export interface RawHttpRequest {
  /** The default is `GET`. */
  readonly method?: HttpMethod;
  /** The address; a template. Values in the path and in the query are percent-encoded. */
  readonly url: string;
  /** Values may be templates; a whole value may be a secret. */
  readonly headers?: Readonly<Record<string, Scalar>>;
  /** Sent as JSON, unless it is text. */
  readonly body?: Json;
}

/** The methods that an HTTP step may use. */
export type HttpMethod = "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";
/** An HTTP request of a step. A text is the URL of a GET. */
export type RawHttp = string | RawHttpRequest;

/** The keys of a step that call something. A step has exactly one of them. */
export interface RawCall {
  /** A shell script. `${…}` in it belongs to the shell; pass values by `env`. */
  readonly run?: string;
  /** A program and its arguments, which no shell reads. Arguments may be templates. */
  readonly exec?: readonly Scalar[];
  /** The name of an agent, which gets the `input` of the step. */
  readonly agent?: string;
  /** An HTTP request, or only its URL for a GET. */
  readonly http?: RawHttp;
}

const HTTP_EXPECTED = "a URL, or a map of `method`, `url`, `headers` and `body`";

const request = strictObject(
  {
    method: oneOf("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS").meta({ default: "GET" }).exactOptional(),
    url: string("a URL").meta({ description: "A template; `https://api.example.com/${ input.id }`." }),
    headers: record(headerNameSchema, scalar, "a map from header names to values")
      .meta({ description: "Templates; secrets are allowed here." })
      .exactOptional(),
    body: json.meta({ description: "A template; sent as JSON unless it is text." }).exactOptional(),
  },
  HTTP_EXPECTED,
);

const httpSchema: z.ZodType<RawHttp> = union([string("a URL"), request], HTTP_EXPECTED).meta({ id: "Http" });

const runSchema: z.ZodType<string> = string("a shell script");
const execSchema: z.ZodType<readonly Scalar[]> = list(scalar, "a list of a program and its arguments", 1);

export const callShape: {
  readonly run: z.ZodExactOptional<z.ZodType<string>>;
  readonly exec: z.ZodExactOptional<z.ZodType<readonly Scalar[]>>;
  readonly agent: z.ZodExactOptional<z.ZodType<string>>;
  readonly http: z.ZodExactOptional<z.ZodType<RawHttp>>;
} = {
  run: runSchema.meta({ description: "A shell script. Pass values by `env` only." }).exactOptional(),
  exec: execSchema
    .meta({ description: "A program and its arguments, without a shell; templates are allowed." })
    .exactOptional(),
  agent: nameSchema("an agent")
    .meta({ description: "The name of an agent; it gets the step's `input`." })
    .exactOptional(),
  http: httpSchema.meta({ description: "An HTTP request; a bare URL is a GET." }).exactOptional(),
};
