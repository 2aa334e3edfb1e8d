import type { StatusRow } from '@/lib/contract/system-rows';

/** The state of the cluster and of what runs there, a line each. */
export function describeStatus({ cluster, trouble, counts, modes }: StatusRow): string {
  const lines = [
    `cluster       ${cluster.name} (${cluster.kind === 'embedded' ? 'simulated' : 'remote'}${cluster.version === null ? '' : `, ${cluster.version}`})`,
    `data          ${trouble === null ? 'fresh' : `stale since ${trouble.since}: ${trouble.sentence}`}`,
    `applications  ${counts.applications}`,
    `waiting       ${counts.waits}`,
    `failing       ${counts.failing}`,
    `moving        ${counts.moving}`,
    ...Object.entries(modes).map(([engine, mode]) => `${engine.padEnd(13)} ${mode === 'drive' ? 'drives' : 'only looks on'}`),
  ];
  return lines.join('\n');
}
