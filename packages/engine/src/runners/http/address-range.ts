// Which range of the internet an address belongs to.
//
//   A1. Only what is `unicast` here is public; whatever nobody knows is not.
//   A2. An address that carries another one inside, as those of tunnels and translators do, is as public as what it carries:
//       a packet to it may end there.

import ipaddr from "ipaddr.js";

/** Of addresses of version 6 only these are given out. */
const GIVEN_OUT = ipaddr.IPv6.parseCIDR("2000::/3");

/** Addresses that are public by their range but mean the machine's own surroundings: where Azure tells its machines about themselves. */
const SURROUNDINGS: ReadonlySet<string> = new Set(["168.63.129.16"]);

/** `unicast` when the address is public, otherwise what it is: `loopback`, `private`, `linkLocal`. */
export function addressRange(address: string): string {
  if (!ipaddr.isValid(address)) return "unknown";
  const parsed = ipaddr.process(address);
  return parsed.kind() === "ipv4" ? rangeOfVersion4(parsed as ipaddr.IPv4) : rangeOfVersion6(parsed as ipaddr.IPv6);
}

function rangeOfVersion4(address: ipaddr.IPv4): string {
  return SURROUNDINGS.has(address.toString()) ? "reserved" : address.range();
}

function rangeOfVersion6(address: ipaddr.IPv6): string {
  if (address.range() === "loopback") return "loopback";
  const carried = carriedBy(address);
  if (carried.length > 0) return carried.map(rangeOfVersion4).find((range) => range !== "unicast") ?? "unicast";
  const range: string = address.range();
  return range === "unicast" && !address.match(GIVEN_OUT) ? "reserved" : range;
}

/** The addresses of version 4 inside one of version 6, by the layout of its range. */
function carriedBy(address: ipaddr.IPv6): readonly ipaddr.IPv4[] {
  const bytes = address.toByteArray();
  switch (address.range()) {
    case "6to4":
      return [version4(bytes, 2)];
    case "teredo":
      return [version4(bytes, 4), version4(bytes.map(invertByte), 12)];
    case "rfc6145":
      return [version4(bytes, 12)];
    case "rfc6052":
      // Where a network uses a prefix of its own, the place of the address inside is its own affair too.
      return isZero(bytes, 4, 12) ? [version4(bytes, 12)] : [];
    default:
      // The oldest way to write an address of version 4 as one of version 6: `::127.0.0.1`.
      return isZero(bytes, 0, 12) ? [version4(bytes, 12)] : [];
  }
}

function version4(bytes: readonly number[], from: number): ipaddr.IPv4 {
  return new ipaddr.IPv4(bytes.slice(from, from + 4));
}

function invertByte(byte: number): number {
  return byte ^ 0xff;
}

function isZero(bytes: readonly number[], from: number, to: number): boolean {
  return bytes.slice(from, to).every((byte) => byte === 0);
}
