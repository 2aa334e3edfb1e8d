/** How long something took; what is below a clock tick is told as such, not as nothing. */
export function formatTook(ms: number | undefined): string {
  if (ms === undefined) return '–';
  if (ms < 1) return '< 1 ms';
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
