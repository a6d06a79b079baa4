// The names under which the server answers. A page of an attacker can make a browser resolve any name to this machine, and then
// the `Host` header has that name.

import { SegnoError } from "@segno/kernel";

const LOOPBACK: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

export class HostCheck {
  readonly #names: ReadonlySet<string>;

  /** `hosts` are further names, with a port if it is not that of the server. */
  constructor(hosts: readonly string[]) {
    this.#names = new Set([...LOOPBACK, ...hosts].map((name) => name.toLowerCase()));
  }

  /** `port` is the port on which the request arrived. */
  assertKnown(host: string | undefined, port: number): void {
    const name = host?.toLowerCase() ?? "";
    if (this.#names.has(name) || this.#names.has(withoutPort(name, port))) return;
    throw new SegnoError("HOST_REFUSED", "the server does not answer under the name in the Host header");
  }

  /** A browser sends the origin of the page with every request that changes something. */
  assertOwnOrigin(origin: string | undefined, site: string | undefined, host: string | undefined): void {
    if (site !== undefined && site !== "same-origin" && site !== "none") throw originRefused();
    if (origin !== undefined && !isOrigin(origin, host)) throw originRefused();
  }
}

function withoutPort(name: string, port: number): string {
  const suffix = `:${port}`;
  return name.endsWith(suffix) ? name.slice(0, -suffix.length) : name;
}

function isOrigin(origin: string, host: string | undefined): boolean {
  return URL.canParse(origin) && new URL(origin).host === host?.toLowerCase();
}

function originRefused(): SegnoError {
  return new SegnoError("ORIGIN_REFUSED", "the request comes from a page of another origin");
}
