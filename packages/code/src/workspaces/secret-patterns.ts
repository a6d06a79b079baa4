// Finds obvious secrets in a text: keys and tokens whose form alone tells that they are secret.

const PATTERNS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ["a private key", /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----/gu],
  ["an AWS access key", /\b(?:AKIA|ASIA)[A-Z2-7]{16}\b/gu],
  ["a GitHub token", /\b(?:gh[opsur]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{60,})\b/gu],
  ["a GitLab token", /\bglpat-[A-Za-z0-9_-]{20,}/gu],
  ["a Slack token", /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/gu],
  ["a Slack webhook", /\bhooks\.slack\.com\/services\/T[A-Z0-9]+\/B[A-Z0-9]+\/[A-Za-z0-9]{16,}/gu],
  ["an npm token", /\bnpm_[A-Za-z0-9]{36}\b/gu],
  ["an npm token", /^\s*(?:\/\/[^\s=]+:)?_(?:authToken|auth|password)\s*=\s*[^\s$]{8,}/gmu],
  ["a Google API key", /\bAIza[A-Za-z0-9_-]{35}/gu],
  ["a Stripe key", /\b[rs]k_live_[A-Za-z0-9]{20,}/gu],
  ["an Anthropic key", /\bsk-ant-[A-Za-z0-9_-]{24,}/gu],
  ["an OpenAI key", /\bsk-(?:proj-)?[A-Za-z0-9]{40,}/gu],
];

export interface FoundSecret {
  /** A noun with its article. */
  readonly name: string;
  readonly text: string;
}

export function findSecrets(text: string): readonly FoundSecret[] {
  return PATTERNS.flatMap(([name, pattern]) => [...text.matchAll(pattern)].map(([found]) => ({ name, text: found })));
}
