// The schema of a store: exactly the objects that its migrations create.
//
// A trigger or a view is code that SQLite runs when the store is written or read. In a planted journal a trigger could
// start an execution when another one runs. So every row of `sqlite_schema` is compared as a whole, even one with a
// name that is reserved for SQLite: another program can write any name.

import { StoreFault } from "../store-fault.ts";
import { openDatabase, type DatabaseSync } from "./sqlite-module.ts";

interface SchemaObject {
  readonly type: string;
  readonly name: string;
  readonly tbl_name: string;
  readonly sql: string | null;
}

/** Keyed by the whole object, so that an object with any difference is a different one. */
type Schema = ReadonlyMap<string, SchemaObject>;

const SELECT_OBJECTS = "SELECT type, name, tbl_name, sql FROM main.sqlite_schema";

/** SQLite creates these tables for ANALYZE. */
const STATISTICS: Schema = toSchema([
  statistics("sqlite_stat1", "tbl,idx,stat"),
  statistics("sqlite_stat4", "tbl,idx,neq,nlt,ndlt,sample"),
]);

const NAMED_MAX = 5;
const NAME_MAX = 100;

/** Keyed by the text of the migrations. */
const expectedSchemas = new Map<string, Schema>();

/** Refuses a database with an object that these migrations do not create, or without one that they do. */
export function checkSchema(database: DatabaseSync, migrations: readonly string[]): void {
  const problems = compareSchemas(objectsIn(database), expectedSchema(migrations));
  if (problems.length === 0) return;
  const more = problems.length > NAMED_MAX ? ` and ${problems.length - NAMED_MAX} more` : "";
  throw new StoreFault("STORE_SCHEMA", `${problems.slice(0, NAMED_MAX).join(", ")}${more}`);
}

function compareSchemas(actual: readonly SchemaObject[], expected: Schema): readonly string[] {
  const unexpected = actual.filter((object) => !expected.has(objectKey(object)) && !STATISTICS.has(objectKey(object)));
  const expectedNames = new Set([...expected.values()].map(objectName));
  const foundNames = new Set(actual.map(objectName));
  return [
    ...unexpected
      .map(objectName)
      .map((name) => `${name} ${expectedNames.has(name) ? "was changed" : "is not part of a store"}`),
    ...[...expectedNames].filter((name) => !foundNames.has(name)).map((name) => `${name} is missing`),
  ];
}

/** The name is untrusted. */
function objectName({ type, name }: SchemaObject): string {
  return `the ${truncate(type)} ${JSON.stringify(truncate(name))}`;
}

function truncate(text: string): string {
  return text.slice(0, NAME_MAX);
}

function expectedSchema(migrations: readonly string[]): Schema {
  const text = migrations.join("\n");
  const known = expectedSchemas.get(text);
  if (known !== undefined) return known;
  const schema = toSchema(objectsMadeBy(migrations));
  expectedSchemas.set(text, schema);
  return schema;
}

function objectsMadeBy(migrations: readonly string[]): readonly SchemaObject[] {
  const database = openDatabase(":memory:");
  try {
    for (const sql of migrations) database.exec(sql);
    return objectsIn(database);
  } finally {
    database.close();
  }
}

function objectsIn(database: DatabaseSync): readonly SchemaObject[] {
  return database.prepare(SELECT_OBJECTS).all() as unknown as SchemaObject[];
}

function toSchema(objects: readonly SchemaObject[]): Schema {
  return new Map(objects.map((object) => [objectKey(object), object]));
}

function objectKey({ type, name, tbl_name: table, sql }: SchemaObject): string {
  return JSON.stringify([type, name, table, sql]);
}

function statistics(name: string, columns: string): SchemaObject {
  return { type: "table", name, tbl_name: name, sql: `CREATE TABLE ${name}(${columns})` };
}
