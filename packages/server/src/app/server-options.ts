// The options of a server, with their defaults.

import type { BuiltWorkflow, DocumentStore, SecretSource } from "@segno/engine";
import type { Definition } from "@segno/kernel";

import type { Tokens } from "../auth/tokens.ts";
import type { ContractRules } from "../contracts/contract-rules.ts";
import type { Hook } from "../hooks/hook.ts";
import type { ApiRoute } from "../routes/route.ts";

/** The options of `serve`. */
export interface ServeOptions {
  /** The default is 4280. 0 takes a free port. */
  readonly port?: number;
  /** The address to listen on. The default is 127.0.0.1. */
  readonly host?: string;
  /** Further names under which the server answers, such as the name of a reverse proxy. */
  readonly hosts?: readonly string[];
  /** The workflows that the server offers. */
  readonly workflows?: readonly (Definition | BuiltWorkflow)[];
  /** The documents that keep tokens and contracts of the API. The default is the store of the engine. */
  readonly documents?: DocumentStore;
  /** The contracts that may be put by the API. */
  readonly contracts?: ContractRules;
  /** Hooks by their names: requests of other systems that start a workflow or send a signal. */
  readonly hooks?: Readonly<Record<string, Hook>>;
  /** The place in which hooks look for their secrets. The default is the environment. */
  readonly secrets?: SecretSource;
  /** Further routes, each with a scope. */
  readonly routes?: readonly ApiRoute[];
  /** How much one token, and all clients together, may ask for. */
  readonly limits?: ServerLimits;
  /** Told about faults of the server that no client can see. */
  readonly onFault?: (error: unknown) => void;
}

/** The limits of a server. */
export interface ServerLimits {
  /** Requests a second of one token. The default is 500. */
  readonly rate?: number;
  /** Requests at once of one token. The default is 1000. */
  readonly burst?: number;
  /** Open streams of one token. The default is 20. */
  readonly streamsPerToken?: number;
  /** Open streams of the server. The default is 500. */
  readonly streams?: number;
  /** Milliseconds between signs of life on a stream. The default is 15,000. */
  readonly heartbeatMs?: number;
  /** Milliseconds in which the headers of a request have to arrive. The default is 10,000. */
  readonly headersMs?: number;
  /** Milliseconds in which a whole request has to arrive. The default is 60,000. */
  readonly requestMs?: number;
  /** Milliseconds that `close` waits for requests under way before it cuts their connections. The default is 5,000. */
  readonly closeMs?: number;
}

export const DEFAULTS = {
  port: 4280,
  host: "127.0.0.1",
  rate: 500,
  burst: 1000,
  streamsPerToken: 20,
  streams: 500,
  heartbeatMs: 15_000,
  headersMs: 10_000,
  requestMs: 60_000,
  closeMs: 5_000,
} as const;

/** A server that listens. */
export interface RunningServer {
  readonly url: string;
  /** The tokens of the server. */
  readonly tokens: Tokens;
  /** Makes a link with which one login is possible within ten minutes, for the token with this hash. */
  loginLink(hash: string): string;
  /** The names of the workflows that it offers now. */
  workflows(): Promise<readonly string[]>;
  /**
   * Stops to listen, ends all streams, and answers the requests under way. Those that take longer than five seconds are cut off. The
   * engine stays open.
   */
  close(): Promise<void>;
}
