// `svc.require(condition, what)` aborts the whole statement
// unless the condition holds. Nothing else raises its SQLSTATE.

/** A select item. */
export function requireText(condition: string, what: string): string {
  return `svc.require(${condition}, '${what.replaceAll("'", "''")}')`;
}

export function isUnmetRequirement(problem: unknown): boolean {
  return problem instanceof Error && 'code' in problem && problem.code === 'SV001';
}
