// The numbered rules of docs/semantics.md, as data.

export type RuleStatus = "done" | "planned";

export interface Rule {
  readonly id: string;
  readonly status: RuleStatus;
}

/** `- **GRAPH-1** *(done)* …` */
const RULE = /^- \*\*([A-Z]+-\d+)\*\* \*\((done|planned)\)\* \S/u;

export function parseRules(markdown: string): Rule[] {
  const rules: Rule[] = [];
  for (const line of markdown.split("\n")) {
    const match = RULE.exec(line);
    if (match !== null) rules.push({ id: match[1]!, status: match[2] as RuleStatus });
    else if (/^\s*[-*] \*\*[A-Z]+-\d+/u.test(line))
      throw new Error(`Expected "- **ID-1** *(done)* text", found: ${line}`);
  }
  return rules;
}

export function ruleFamily(id: string): string {
  return id.slice(0, id.indexOf("-"));
}
