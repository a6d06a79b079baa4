// Colours for light and dark mode. The colour of a kind repeats the meaning of its shape and icon.

import type { PictureNode } from "../graph-picture.ts";

interface Shade {
  readonly light: string;
  readonly dark: string;
}

const KIND_SHADES: Readonly<Record<PictureNode["kind"], Shade>> = {
  run: { light: "#2563eb", dark: "#7aa7ff" },
  exec: { light: "#0e7490", dark: "#5fd0e6" },
  agent: { light: "#7c3aed", dark: "#b79bff" },
  http: { light: "#0f766e", dark: "#5ed6c4" },
  workflow: { light: "#be185d", dark: "#f58bbd" },
  map: { light: "#a16207", dark: "#e6bd52" },
  repeat: { light: "#c2410c", dark: "#fb9f6b" },
  wait: { light: "#52616f", dark: "#a9b6c4" },
  approve: { light: "#15803d", dark: "#7fd894" },
  barrier: { light: "#b91c1c", dark: "#f79a94" },
};

export const STYLE: string = [
  "text{font-family:ui-sans-serif,system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif}",
  ".id{font-size:13px;font-weight:600}.about{font-size:11px}.heading{font-size:16px;font-weight:700}.note{font-size:11px}",
  ".icon{fill:none;stroke-width:1.5;stroke-linecap:round;stroke-linejoin:round}",
  ".shape{stroke-width:1.5}.edge{fill:none;stroke-width:1.5}",
  ".settled{stroke-dasharray:7 5}.fallback{stroke-dasharray:1.5 5;stroke-linecap:round;stroke-width:2}",
  ".disabled .shape{stroke-dasharray:4 3}",
  shades("light"),
  `@media (prefers-color-scheme:dark){${shades("dark")}}`,
].join("\n");

function shades(mode: keyof Shade): string {
  const isLight = mode === "light";
  const ink = isLight ? "#18212f" : "#e8edf4";
  const quiet = isLight ? "#5b6776" : "#a0acba";
  const line = isLight ? "#8b98a8" : "#718096";
  const warning = isLight ? "#b45309" : "#f0a84b";
  const kinds = Object.entries(KIND_SHADES).map(
    ([kind, shade]) => `.${kind} .shape{stroke:${shade[mode]}}.${kind} .icon{stroke:${shade[mode]}}`,
  );
  return [
    `.paper{fill:${isLight ? "#ffffff" : "#11161d"}}`,
    `.shape{fill:${isLight ? "#ffffff" : "#1a212b"}}`,
    `.id,.heading{fill:${ink}}.about,.note{fill:${quiet}}`,
    `.edge{stroke:${line}}.head{fill:${line}}.fallback{stroke:${warning}}.head-fallback{fill:${warning}}`,
    ...kinds,
    `.disabled .shape,.disabled .icon{stroke:${line}}.disabled .id,.disabled .about{fill:${line}}`,
  ].join("");
}
