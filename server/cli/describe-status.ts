import type { StatusRow } from '@/lib/contract/system-rows';

/** The state of the cluster and of what runs there, a line each. */
export function describeStatus({ cluster, trouble, counts, engines }: StatusRow): string {
  const lines = [
    `cluster       ${cluster.name} (${cluster.kind === 'embedded' ? 'simulated' : 'remote'}${cluster.version === null ? '' : `, ${cluster.version}`})`,
    `data          ${trouble === null ? 'fresh' : `stale since ${trouble.since}: ${trouble.sentence}`}`,
    ...describeCounts(counts),
    ...Object.entries(engines).map(
      ([engine, { why, kinds = {} }]) => `${engine.padEnd(13)} ${[why ?? 'active', ...Object.values(kinds)].join('; ')}`,
    ),
  ];
  return lines.join('\n');
}

function describeCounts(counts: StatusRow['counts']): readonly string[] {
  if (counts === null) return ['applications  unknown: you may list them in no namespace'];
  return [
    `applications  ${counts.applications}`,
    `waiting       ${counts.waits}`,
    `failing       ${counts.failing}`,
    `moving        ${counts.moving}`,
  ];
}
