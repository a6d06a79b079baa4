// The addresses that an `http` step may reach.

import { SegnoError } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { AddressGuard, type HostAddress } from "../../src/runners/http/address-guard.ts";
import { addressRange } from "../../src/runners/http/address-range.ts";
import { PrivateNetworkPolicy, type AllowPrivate } from "../../src/runners/http/private-network-policy.ts";
import { serve } from "./local-server.ts";
import { fetchBody, fetchFailure, openRunner } from "./recording-attempt.ts";

const at = (...addresses: readonly string[]): readonly HostAddress[] =>
  addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));

/** Spellings that an attacker might use. */
const REFUSED_HOSTS = [
  "127.0.0.1",
  "127.1",
  "2130706433",
  "0x7f000001",
  "0x7f.1",
  "0177.0.0.1",
  "①②⑦.0.0.1",
  "127.0.0.1.",
  "0.0.0.0",
  "0",
  "10.0.0.1",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.1.1",
  "169.254.169.254",
  "168.63.129.16",
  "100.64.0.1",
  "100.100.100.200",
  "192.0.0.192",
  "192.0.2.1",
  "198.18.0.1",
  "224.0.0.1",
  "255.255.255.255",
  "[::]",
  "[::1]",
  "[::127.0.0.1]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[::ffff:0:127.0.0.1]",
  "[::ffff:169.254.169.254]",
  "[64:ff9b::127.0.0.1]",
  "[64:ff9b::a9fe:a9fe]",
  "[64:ff9b:1::8.8.8.8]",
  "[2002:7f00:1::]",
  "[2002:a9fe:a9fe::1]",
  "[2001:0:7f00:1::f7f7:f7f7]",
  "[2001:0:808:808::80ff:fffe]",
  "[fd00::1]",
  "[fd00:ec2::254]",
  "[fc00::1]",
  "[fe80::1]",
  "[fec0::1]",
  "[ff02::1]",
  "[100::1]",
  "[2001:db8::1]",
  "[4000::1]",
];

describe("an address that is not public", () => {
  it.each(REFUSED_HOSTS)("%s is refused", async (host) => {
    const failure = await fetchFailure({ url: `http://${host}:1/` }, { allowPrivate: false });
    expect(failure).toMatchObject({ class: "permanent", code: "HTTP_ADDRESS_REFUSED" });
    expect(failure.message).toMatch(/ is not a public address \(\w+\), and is not allowed$/u);
  });

  it.each(["localhost", "localhost.", "LOCALHOST", "intranet", "127.0.0.1.example.com"])(
    "is refused behind the name %s",
    async (host) => {
      const lookup = (): Promise<readonly HostAddress[]> => Promise.resolve(at("127.0.0.1"));
      const failure = await fetchFailure({ url: `http://${host}:1/` }, { allowPrivate: false, lookup });
      expect(failure).toMatchObject({ class: "permanent", code: "HTTP_ADDRESS_REFUSED" });
    },
  );

  it("among public ones refuses them all", async () => {
    await using server = await serve((_, response) => response.end("inside"));
    const lookup = (): Promise<readonly HostAddress[]> => Promise.resolve(at("127.0.0.1", "10.0.0.1"));
    const failure = await fetchFailure({ url: `http://host:${server.port}/` }, { lookup });
    expect(failure.message).toBe("host, which is 10.0.0.1, is not a public address (private), and is not allowed");
    expect(server.reached).toEqual([]);
  });
});

describe("a public address", () => {
  it.each([
    "1.1.1.1",
    "93.184.216.34",
    "2606:4700:4700::1111",
    "::ffff:1.1.1.1",
    "64:ff9b::1.1.1.1",
    "2002:101:101::1",
    "2001:0:808:808::f7f7:f7f7",
  ])("such as %s is known as one", (address) => {
    expect(addressRange(address)).toBe("unicast");
  });

  it("does not include text that is not an address", () => {
    expect(addressRange("somewhere")).toBe("unknown");
    expect(["::1", "127.0.0.1", "::"].map(addressRange)).toEqual(["loopback", "loopback", "unspecified"]);
  });
});

describe("a host name that changes its address", () => {
  /** Resolves to one list after the other, and then always to the last one. */
  function changing(...answers: readonly string[]): { lookup: () => Promise<readonly HostAddress[]>; asked: string[] } {
    const asked: string[] = [];
    return {
      asked,
      lookup: () => Promise.resolve(at(asked[asked.push(answers[asked.length] ?? answers.at(-1)!) - 1]!)),
    };
  }

  it("is resolved once per connection, which uses the checked address", async () => {
    await using server = await serve((_, response) => response.end("checked"), "0.0.0.0");
    const { lookup, asked } = changing("127.0.0.2", "127.0.0.1");
    const options = { lookup, allowPrivate: ["127.0.0.2"] };
    expect(await fetchBody({ url: `http://host:${server.port}/` }, options)).toBe("checked");
    expect(server.reached).toEqual(["127.0.0.2"]);
    expect(asked).toEqual(["127.0.0.2"]);
  });

  it("is checked again when a redirect leads back to it", async () => {
    await using server = await serve((_, response) => response.writeHead(302, { location: "/again" }).end(), "0.0.0.0");
    const { lookup } = changing("127.0.0.2", "127.0.0.1");
    const options = { lookup, allowPrivate: ["127.0.0.2"] };
    const failure = await fetchFailure({ url: `http://host:${server.port}/` }, options);
    expect(failure.code).toBe("HTTP_ADDRESS_REFUSED");
    expect(server.reached).toEqual(["127.0.0.2"]);
  });

  it("that is public first and private then gives the socket only the public address", async () => {
    const { lookup, asked } = changing("93.184.216.34", "127.0.0.1");
    const guard = new AddressGuard(new PrivateNetworkPolicy(false), lookup);
    const answers = await Promise.all([guarded(guard, true), guarded(guard, false)]);
    expect(answers).toEqual([at("93.184.216.34"), "HTTP_ADDRESS_REFUSED"]);
    expect(asked).toEqual(["93.184.216.34", "127.0.0.1"]);
  });

  function guarded(guard: AddressGuard, all: boolean): Promise<unknown> {
    return new Promise((resolve) => {
      guard.lookup("host", { all }, (error, address) => resolve(error === null ? address : error.code));
    });
  }
});

describe("an allowed private address", () => {
  const covered = (allowed: AllowPrivate, host: string, address: string): boolean =>
    new PrivateNetworkPolicy(allowed).allows(host, address);

  it.each<[AllowPrivate, string, string, boolean]>([
    [false, "h", "10.0.0.1", false],
    [[], "h", "10.0.0.1", false],
    [true, "h", "10.0.0.1", true],
    [["10.0.0.0/8"], "h", "10.9.9.9", true],
    [["10.0.0.0/8"], "h", "11.0.0.1", false],
    [["10.0.0.0/8"], "h", "::ffff:10.0.0.1", true],
    [["10.0.0.7"], "h", "10.0.0.7", true],
    [["10.0.0.7"], "h", "10.0.0.8", false],
    [["fd00::/8"], "h", "fd12::1", true],
    [["fd00::/8"], "h", "fe80::1", false],
    [["::1"], "h", "::1", true],
    [["build.internal"], "build.internal", "10.0.0.1", true],
    [["Build.Internal."], "build.internal", "10.0.0.1", true],
    [["build.internal"], "build.internal.", "10.0.0.1", true],
    [["build.internal"], "x.build.internal", "10.0.0.1", false],
    [["build.internal"], "build-internal", "10.0.0.1", false],
  ])("by %j covers %s at %s: %s", (allowed, host, address, expected) => {
    expect(covered(allowed, host, address)).toBe(expected);
  });

  it("is reached", async () => {
    await using server = await serve((_, response) => response.end("inside"));
    const lookup = (): Promise<readonly HostAddress[]> => Promise.resolve(at("127.0.0.1"));
    const url = `http://build.internal:${server.port}/`;
    for (const allowPrivate of [true, ["build.internal"], ["127.0.0.0/8"]])
      expect(await fetchBody({ url }, { allowPrivate, lookup })).toBe("inside");
    expect((await fetchFailure({ url }, { allowPrivate: ["other"], lookup })).code).toBe("HTTP_ADDRESS_REFUSED");
  });

  it.each(["10.0.0.0/33", "10.0.0.0/8/8", "10.0.0.0/", "10.0.0.0/a", "::/129", "http://host", "a b", "*.internal", ""])(
    "is never %j",
    (entry) => {
      expect(() => openRunner({ allowPrivate: [entry] })).toThrow(expect.objectContaining({ code: "OPTION_INVALID" }));
    },
  );

  it.each([
    [{ bodyBytes: 0 }],
    [{ bodyBytes: 10_485_761 }],
    [{ redirects: -1 }],
    [{ redirects: 21 }],
    [{ headersMs: 0 }],
    [{ idleMs: 1.5 }],
    [{ idleMs: Number.NaN }],
  ])("has limits, which are never %j", (limits) => {
    expect(() => openRunner({ limits })).toThrow(SegnoError);
  });
});
