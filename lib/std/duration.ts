const UNIT_MS: Readonly<Record<string, number>> = { ns: 1e-6, us: 1e-3, µs: 1e-3, ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const PART = /(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h|d)/gy;

/** Reads a duration as operators write it (`90s`, `1h30m`, `250ms`, `0`) in milliseconds; undefined when it is none. */
export function parseDurationMs(text: string): number | undefined {
  if (text === '0') return 0;
  let total = 0;
  let at = 0;
  PART.lastIndex = 0;
  for (let part = PART.exec(text); part !== null; part = PART.exec(text)) {
    total += Number(part[1]) * (UNIT_MS[part[2] ?? ''] ?? 0);
    at = PART.lastIndex;
  }
  return at === text.length && at > 0 ? total : undefined;
}

/** A duration for people: the two largest units, `1h 5m`, `42s`, `0s`. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const parts: readonly [number, string][] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ];
  const first = parts.findIndex(([count]) => count > 0);
  if (first < 0) return '0s';
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count}${unit}`)
    .join(' ');
}
