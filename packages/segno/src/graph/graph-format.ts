export type GraphFormat = "mermaid" | "dot" | "svg" | "json";

export const GRAPH_FORMATS: readonly GraphFormat[] = ["mermaid", "dot", "svg", "json"];
