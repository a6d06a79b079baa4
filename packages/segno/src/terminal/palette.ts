// The meanings of colours. Every colour is used together with a word or a sign.

import picocolors from "picocolors";

type Paint = (text: string) => string;

export interface Palette {
  readonly title: Paint;
  readonly quiet: Paint;
  readonly good: Paint;
  readonly caution: Paint;
  readonly bad: Paint;
  readonly accent: Paint;
}

export function createPalette(colorful: boolean): Palette {
  const { bold, dim, green, yellow, red, cyan } = picocolors.createColors(colorful);
  return { title: bold, quiet: dim, good: green, caution: yellow, bad: red, accent: cyan };
}
