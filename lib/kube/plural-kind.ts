/** Says how many of a kind: `1 Ingress`, `2 Ingresses`, `3 NetworkPolicies`. A kind that is a plural already stays. */
export function countKind(count: number, kind: string): string {
  return `${count} ${count === 1 ? kind : toPlural(kind)}`;
}

function toPlural(kind: string): string {
  if (/(?:ss|sh|ch|x)$/.test(kind)) return `${kind}es`;
  if (kind.endsWith('s')) return kind;
  return /[^aeiou]y$/.test(kind) ? `${kind.slice(0, -1)}ies` : `${kind}s`;
}
