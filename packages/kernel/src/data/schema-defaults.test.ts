import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../model/definition.ts";
import type { Json } from "../model/json.ts";
import { withDefaults } from "./schema-defaults.ts";

function filled(schema: JsonSchema, value: Json): Json {
  const result = withDefaults(schema, value);
  return result.kind === "filled" ? result.value : `endless: ${result.message}`;
}

const SERVER: JsonSchema = {
  type: "object",
  properties: {
    host: { type: "string" },
    port: { type: "integer", default: 80 },
    tls: { type: "object", default: {}, properties: { strict: { default: true } } },
    retry: { type: "object", properties: { times: { default: 3 } } },
  },
};

describe("DATA-12 the defaults of a schema", () => {
  it("replace missing properties, also those of a default, and nothing that is given", () => {
    expect(filled(SERVER, { host: "a" })).toEqual({ host: "a", port: 80, tls: { strict: true } });
    expect(filled(SERVER, { port: null, tls: { strict: false } })).toEqual({ port: null, tls: { strict: false } });
  });

  it("are used inside a property that is given, but do not create one without a default", () => {
    expect(filled(SERVER, { retry: {} })).toMatchObject({ retry: { times: 3 } });
    expect(filled(SERVER, {})).not.toHaveProperty("retry");
  });

  it("are found through references and allOf, and in the items of lists", () => {
    const schema: JsonSchema = {
      $defs: { server: SERVER, size: { default: 5 } },
      allOf: [{ properties: { first: { $ref: "#/$defs/size" } } }],
      properties: { servers: { items: { $ref: "#/$defs/server" } }, pair: { prefixItems: [true, SERVER] } },
      additionalProperties: { $ref: "#/$defs/server" },
    };
    const server = { port: 80, tls: { strict: true } };
    expect(filled(schema, { servers: [{}, { port: 1 }], pair: [{}, {}], other: {} })).toEqual({
      first: 5,
      servers: [server, { ...server, port: 1 }],
      pair: [{}, server],
      other: server,
    });
  });

  it("are not taken from alternatives", () => {
    const schema: JsonSchema = {
      anyOf: [{ properties: { a: { default: 1 } } }],
      if: { properties: { b: { default: 2 } } },
    };
    expect(filled(schema, {})).toEqual({});
  });

  it("replace an input of null at the top, if there is one for the whole or for a property of an object", () => {
    expect(filled({ type: "string", default: "x" }, null)).toBe("x");
    expect(filled(SERVER, null)).toEqual({ port: 80, tls: { strict: true } });
    expect(filled({ type: "object", properties: { a: true } }, null)).toBe(null);
    expect(filled({ properties: { a: { default: 1 } } }, null)).toBe(null);
  });

  it("leave the given value as it is, and share the parts without defaults", () => {
    const given: Json = { retry: { times: 1 }, port: 1, tls: { strict: true } };
    expect(filled(SERVER, given)).toBe(given);
    const partial: Json = Object.freeze({ tls: Object.freeze({}) });
    expect(filled(SERVER, partial)).toEqual({ tls: { strict: true }, port: 80 });
    expect(partial).toEqual({ tls: {} });
  });

  it("never set a key that could reach a prototype", () => {
    const schema = JSON.parse('{ "properties": { "__proto__": { "default": { "x": 1 } } } }') as JsonSchema;
    expect(Object.keys(filled(schema, {}) as object)).toEqual([]);
  });

  it("that have no end, or are too large, are a failure and not a hang", () => {
    const nested: JsonSchema = { properties: { child: { $ref: "#", default: {} } } };
    expect(filled(nested, {})).toMatch(/^endless/u);
    const twice: JsonSchema = { properties: { a: { $ref: "#", default: {} }, b: { $ref: "#", default: {} } } };
    expect(filled(twice, {})).toMatch(/^endless/u);
    const self: JsonSchema = { properties: { default: true }, allOf: [{ $ref: "#" }], default: 1 };
    expect(filled(self, {})).toMatch(/^endless/u);
    const large = Object.fromEntries(
      Array.from({ length: 12 }, (_, index) => [`p${index}`, { default: "x".repeat(1_000_000) }]),
    );
    expect(filled({ properties: large }, {})).toBe("endless: the defaults of the schema have more than 10485760 bytes");
  });
});
