/** The path of an execution, or of something below it. Names may contain any character, also `/`. */
export function executionPath(id: string, ...below: readonly string[]): string {
  return ["/v1/executions", id, ...below]
    .map((part, place) => (place === 0 ? part : encodeURIComponent(part)))
    .join("/");
}
