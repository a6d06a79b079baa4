// Every dependency is pinned and has a reason.

import { describe, expect, it } from "vitest";

import { foldersIn, readText } from "./repository.ts";

type Versions = Readonly<Record<string, string>>;
interface Manifest {
  readonly dependencies?: Versions;
  readonly devDependencies?: Versions;
  readonly optionalDependencies?: Versions;
}

const manifests = ["package.json", ...foldersIn("packages").map((folder) => `packages/${folder}/package.json`)];
const dependencies = manifests.flatMap((file) => {
  const manifest = JSON.parse(readText(file)) as Manifest;
  return [manifest.dependencies, manifest.devDependencies, manifest.optionalDependencies].flatMap((some) =>
    Object.entries(some ?? {}),
  );
});

describe("dependencies", () => {
  it("have exact versions", () => {
    expect(dependencies.filter(([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/u.test(version))).toEqual([]);
  });

  it("have a reason in docs/decisions/dependencies.md, and nothing else has", () => {
    const items = [...readText("docs/decisions/dependencies.md").matchAll(/^- ([^:]+):/gmu)].map((match) => match[1]!);
    const explained = items.flatMap((item) => [...item.matchAll(/`([^`]+)`/gu)].map((match) => match[1]!));
    const used = new Set(dependencies.map(([name]) => name));
    expect([...new Set(explained)].toSorted()).toEqual([...used].toSorted());
  });
});
