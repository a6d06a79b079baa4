// A random layered graph, the same for the same seed: steps in layers, each depending on steps of earlier layers.

export interface LayeredGraph {
  readonly ids: readonly string[];
  /** For each step, the indexes of the steps it depends on. */
  readonly dependencies: readonly (readonly number[])[];
  readonly edgeCount: number;
}

export function layeredGraph(steps: number, edges: number, seed = 1): LayeredGraph {
  const random = generator(seed);
  const width = Math.max(1, Math.round(Math.sqrt(steps)));
  const ids = Array.from({ length: steps }, (_, index) => `step-${index}`);
  const dependencies: number[][] = Array.from({ length: steps }, () => []);
  const drawn = steps > width ? edges : 0;
  for (let edge = 0; edge < drawn; edge++) {
    const step = width + Math.floor(random() * (steps - width));
    const layerStart = Math.floor(step / width) * width;
    dependencies[step]!.push(Math.floor(random() * layerStart));
  }
  const distinct = dependencies.map((list) => [...new Set(list)]);
  return { ids, dependencies: distinct, edgeCount: distinct.reduce((sum, list) => sum + list.length, 0) };
}

/** For each step, the indexes of the steps that depend on it. */
export function listDependants({ dependencies }: LayeredGraph): readonly (readonly number[])[] {
  const dependants: number[][] = dependencies.map(() => []);
  dependencies.forEach((list, step) => list.forEach((dependency) => dependants[dependency]!.push(step)));
  return dependants;
}

/** A small linear congruential generator: enough for shapes, and the same everywhere. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 0x1_0000_0000;
  };
}
