// A workflow whose types the hover test reads.

import { map, shell, workflow } from "../../src/index.ts";

interface Release {
  readonly tag: string;
}

export const release = workflow<Release>("release")
  .step("build", async ({ input }) => ({ path: `dist/${input.tag}`, at: new Date(0) }))
  .step("files", { dependsOn: ["build"] }, ({ outputs: buildOnly }) => [buildOnly.build.path])
  .step("lint", { dependsOn: ["build"], when: "input.tag == 'v1'" }, shell("npm run lint"))
  .step(
    "sizes",
    { dependsOn: ["files"] },
    map(
      ({ outputs }) => outputs.files,
      ({ item }) => ({ size: item.length }),
    ),
  )
  .step("pick", { dependsOn: ["build", "lint", "sizes"], retry: 3 }, ({ outputs }) => {
    const seen = outputs;
    return seen.build.path;
  });

export const built = release.output(({ outputs: everything, input: given }) => ({
  build: everything.build,
  tag: given.tag,
}));

export type Output = NonNullable<typeof built.types>["output"];
