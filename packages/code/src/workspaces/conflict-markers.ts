// Finds files in which an agent left conflict markers.

const BEGIN = /^<{7}(?: |$)/mu;
const END = /^>{7}(?: |$)/mu;

export function hasConflictMarkers(text: string): boolean {
  return BEGIN.test(text) && END.test(text);
}
