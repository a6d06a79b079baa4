// Imports between packages go one way. `folders.test.ts` checks those inside a package.

import { posix } from "node:path";

import { describe, expect, it } from "vitest";

import { importedNames, packageName, withoutComments } from "./import-statements.ts";
import { foldersIn, isTest, packageSources, readText } from "./repository.ts";

const BELOW_FACES = ["kernel", "planner", "contract", "engine"];

/** Which packages a package may know. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  kernel: [],
  planner: ["kernel"],
  contract: ["kernel", "planner"],
  // Actions of the planner are a face: the engine knows the planner only through contracts.
  engine: ["kernel", "contract"],
  code: BELOW_FACES,
  server: BELOW_FACES,
  client: ["kernel"],
  restate: BELOW_FACES,
  dashboard: ["kernel"],
  segno: [...BELOW_FACES, "code", "server", "client", "restate"],
};

interface Manifest {
  readonly name: string;
  readonly exports?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const readManifest = (folder: string): Manifest => JSON.parse(readText(`${folder}/package.json`)) as Manifest;
const folderName = (file: string): string => file.split("/")[1]!;
const workspaceFolder = (name: string): string | null =>
  name === "segno" ? "segno" : name.startsWith("@segno/") ? name.slice("@segno/".length) : null;

describe("imports between packages", () => {
  it("gives every package a place in the order", () => {
    expect(foldersIn("packages").filter((folder) => MAY_IMPORT[folder] === undefined)).toEqual([]);
  });

  it("go down the order, never up", () => {
    const wrong = packageSources().flatMap((file) =>
      importedPackages(file)
        .map(workspaceFolder)
        .filter((target) => target !== null && target !== folderName(file))
        .filter((target) => !MAY_IMPORT[folderName(file)]!.includes(target!))
        .map((target) => `${file} imports ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it("name only what the package declares", () => {
    const wrong = packageSources().flatMap((file) =>
      importedPackages(file)
        .filter((name) => !declaredBy(file).has(name))
        .map((name) => `${file} imports ${name}`),
    );
    expect(wrong).toEqual([]);
  });

  it("declare only packages below their own", () => {
    const wrong = foldersIn("packages").flatMap((folder) =>
      Object.keys(readManifest(`packages/${folder}`).dependencies ?? {})
        .map(workspaceFolder)
        .filter((target) => target !== null && !MAY_IMPORT[folder]!.includes(target))
        .map((target) => `${folder} depends on ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it("use the other package's name, never a path into it", () => {
    const wrong = packageSources().flatMap((file) =>
      relativeImports(file)
        .filter((target) => !target.startsWith(`packages/${folderName(file)}/`))
        .map((target) => `${file} imports ${target}`),
    );
    expect(wrong).toEqual([]);
  });
});

describe("the faces", () => {
  const FACE = /^packages\/segno\/src\/(?:actions|engines|batch)\//u;
  const LIBRARY = new Set(["batch", "engines", "index"].map((name) => `packages/segno/src/${name}.ts`));
  const sources = packageSources().filter((file) => file.startsWith("packages/segno/") && !isTest(file));
  const faces = sources.filter((file) => FACE.test(file));

  it("are there: actions, task engines and batches", () => {
    const folders = new Set(faces.map((file) => file.split("/")[3]));
    expect(folders).toEqual(new Set(["actions", "engines", "batch"]));
  });

  it("import packages by an entry, and no other folder of segno", () => {
    const paths = faces.flatMap((file) => relativeImports(file).filter((target) => !FACE.test(target)));
    const names = faces.flatMap((file) => importedNames(readText(file)).filter((name) => name.startsWith("@segno/")));
    expect(paths).toEqual([]);
    expect(names.filter((name) => !packageEntries().has(name))).toEqual([]);
  });

  it("use one entry of the engine, which programs use too", () => {
    const names = faces.flatMap((file) => importedNames(readText(file)));
    expect(names.filter((name) => name.startsWith("@segno/engine/"))).toEqual([]);
  });

  it("are imported by the entries of the library only, so that the command starts without them", () => {
    const users = sources.filter((file) => !FACE.test(file) && relativeImports(file).some((name) => FACE.test(name)));
    expect(users.filter((file) => !LIBRARY.has(file))).toEqual([]);
  });
});

describe("the columns of a state", () => {
  it("are read by the kernel only: others ask its functions", () => {
    const others = packageSources().filter((file) => !file.startsWith("packages/kernel/") && !isTest(file));
    expect(others.filter((file) => /\bstate\.columns\b/u.test(withoutComments(readText(file))))).toEqual([]);
  });
});

describe("imports of published modules", () => {
  const sources = packageSources().filter((file) => !isTest(file));

  it("are static or `import()`: bundlers follow nothing else, and the compiler changes `new (require(…) as X).Y()`", () => {
    const wrong = sources.filter((file) => /\brequire\(|\bcreateRequire\b/u.test(withoutComments(readText(file))));
    expect(wrong).toEqual([]);
  });

  it("name nothing statically that Node.js 18 lacks: linking would fail before the version check can speak", () => {
    const newer =
      /^import (?!type\b)[^;]*\b(?:registerHooks|styleText|hash)\b[^;]*from "node:|^import (?!type\b)[^;]*"node:sqlite"/mu;
    expect(sources.filter((file) => newer.test(withoutComments(readText(file))))).toEqual([]);
  });
});

describe("reading imports", () => {
  it("sees each way to write one", () => {
    const source = [
      'import { a } from "one";',
      "import {\n  type B,\n  c,\n} from 'two';",
      'import "three";',
      'export { d } from "four";',
      'const e = await import("five"); import { g } from "seven";',
      '// import { f } from "six";',
    ].join("\n");
    expect(importedNames(source).toSorted()).toEqual(["five", "four", "one", "seven", "three", "two"]);
  });
});

function importedPackages(file: string): string[] {
  return importedNames(readText(file))
    .map(packageName)
    .filter((name) => name !== null);
}

function relativeImports(file: string): string[] {
  return importedNames(readText(file))
    .filter((name) => name.startsWith("."))
    .map((name) => posix.join(posix.dirname(file), name));
}

/** The names under which packages of this repository can be imported. */
function packageEntries(): ReadonlySet<string> {
  return new Set(
    foldersIn("packages").flatMap((folder) => {
      const { name, exports = {} } = readManifest(`packages/${folder}`);
      return Object.keys(exports).map((entry) => posix.join(name, entry));
    }),
  );
}

/** Tests may also use what the workspace as a whole brings for tests. */
function declaredBy(file: string): ReadonlySet<string> {
  const own = readManifest(`packages/${folderName(file)}`);
  const shared = isTest(file) ? readManifest(".").devDependencies : {};
  return new Set([
    own.name,
    ...[own.dependencies, own.peerDependencies, shared].flatMap((some) => Object.keys(some ?? {})),
  ]);
}
