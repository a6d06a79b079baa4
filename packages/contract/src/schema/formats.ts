// The formats that a schema may name. Each is checked in linear time: by RE2, by the host's own parsers, or by counting.

import { isIPv4, isIPv6 } from "node:net";

import { Patterns } from "./linear-pattern.ts";

export interface Format {
  readonly of: "text" | "number";
  readonly test: (value: string | number) => boolean;
}

const DATE = "\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])";
const ZONE = "(?:[zZ]|[+-]\\d\\d(?::?\\d\\d)?)";
const CLOCK = "(?:(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d|23:59:60)(?:\\.\\d+)?";
const ESCAPED = "%[0-9a-fA-F]{2}";
const LABEL = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?";
const TIME_PARTS = "T(?:\\d+H(?:\\d+M)?(?:\\d+S)?|\\d+M(?:\\d+S)?|\\d+S)";
const VARIABLE = `(?:[a-zA-Z0-9_]|${ESCAPED})+(?::[1-9]\\d{0,3}|\\*)?`;

const PATTERNS: Readonly<Record<string, string>> = {
  date: `^${DATE}$`,
  time: `^${CLOCK}${ZONE}$`,
  "date-time": `^${DATE}[tT]${CLOCK}${ZONE}$`,
  "iso-time": `^${CLOCK}${ZONE}?$`,
  "iso-date-time": `^${DATE}[tT\\s]${CLOCK}${ZONE}?$`,
  duration: `^P(?:\\d+W|(?:\\d+Y(?:\\d+M)?(?:\\d+D)?|\\d+M(?:\\d+D)?|\\d+D)(?:${TIME_PARTS})?|${TIME_PARTS})$`,
  uri: "^[a-zA-Z][a-zA-Z0-9+.-]*:[^\\s]*$",
  "uri-reference": "^(?:[^\\\\\\s#]*)(?:#[^\\\\\\s#]*)?$",
  "uri-template": `^(?:[^\\x00-\\x20"'<>%\\\\^\`{|}]|${ESCAPED}|\\{[+#./;?&=,!@|]?${VARIABLE}(?:,${VARIABLE})*\\})*$`,
  email: `^[a-zA-Z0-9.!#$%&'*+/=?^_\`{|}~-]+@${LABEL}(?:\\.${LABEL})*$`,
  hostname: `^${LABEL}(?:\\.${LABEL})*\\.?$`,
  uuid: "^(?:urn:uuid:)?[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$",
  "json-pointer": "^(?:/(?:[^~/]|~0|~1)*)*$",
  "json-pointer-uri-fragment": `^#(?:/(?:[a-zA-Z0-9_.!$&'()*+,;:=@-]|${ESCAPED}|~0|~1)*)*$`,
  "relative-json-pointer": "^(?:0|[1-9]\\d*)(?:#|(?:/(?:[^~/]|~0|~1)*)*)$",
  byte: "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$",
};

const patterns = new Patterns();

function matching(name: string): Format {
  return { of: "text", test: (value) => patterns.get(PATTERNS[name]!).test(String(value)) };
}

function text(test: (value: string) => boolean): Format {
  return { of: "text", test: (value) => test(String(value)) };
}

function number(test: (value: number) => boolean): Format {
  return { of: "number", test: (value) => test(Number(value)) };
}

const HOSTNAME_LENGTH_MAX = 254;
const dateFormat = (name: string): Format =>
  text((value) => patterns.get(PATTERNS[name]!).test(value) && isDayOfMonth(value.slice(0, 10)));

export const FORMATS: ReadonlyMap<string, Format> = new Map([
  ...Object.keys(PATTERNS).map((name) => [name, matching(name)] as const),
  ["date", dateFormat("date")],
  ["date-time", dateFormat("date-time")],
  ["iso-date-time", dateFormat("iso-date-time")],
  ["hostname", text((value) => value.length <= HOSTNAME_LENGTH_MAX && matching("hostname").test(value))],
  ["ipv4", text(isIPv4)],
  ["ipv6", text((value) => isIPv6(value) && !value.includes("%"))],
  ["url", text((value) => /^(?:https?|ftp):\/\/[^\s]/iu.test(value) && !/\s/u.test(value) && URL.canParse(value))],
  ["regex", text(isPattern)],
  ["int32", number((value) => Number.isInteger(value) && value >= -(2 ** 31) && value <= 2 ** 31 - 1)],
  ["int64", number(Number.isInteger)],
  ["float", number(() => true)],
  ["double", number(() => true)],
  ["password", text(() => true)],
  ["binary", text(() => true)],
]);

/** 31 April does not exist, nor does 29 February in most years. */
function isDayOfMonth(date: string): boolean {
  const [year, month, day] = date.split("-").map(Number) as [number, number, number];
  return day <= new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
}

function isPattern(source: string): boolean {
  try {
    return new RegExp(source, "u").unicode;
  } catch {
    return false;
  }
}
