/** Orders two resourceVersions; negative when the first is older. Text that is no number sorts before every number. */
export function compareResourceVersions(left: string, right: string): number {
  const a = toNumber(left);
  const b = toNumber(right);
  return a < b ? -1 : a > b ? 1 : 0;
}

function toNumber(version: string): bigint {
  return /^\d+$/.test(version) ? BigInt(version) : -1n;
}
