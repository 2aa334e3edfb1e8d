import { Elapsed } from '@/components/live/ago';
import { Panel } from '@/components/ui/panel';
import type { LeadershipView } from '@/lib/contract/system-rows';

/** Who leads, and which replica acts on which part of the keys. */
export function LeadershipPanel({ leadership }: { readonly leadership: LeadershipView }) {
  const { identity, holder, since, shards } = leadership;
  return (
    <Panel title="Leadership" note={`this replica is ${identity}`}>
      <p className="px-4 py-2.5">
        {holder === null ? (
          <span className="text-warn">No replica leads; nothing is reconciled until one does.</span>
        ) : (
          <>
            <span className="break-all font-medium">{holder === identity ? 'This replica' : holder}</span> leads
            {since === null ? '' : ', for '}
            {since === null ? null : <Elapsed from={since} />}
          </>
        )}
      </p>
      <ul aria-label="Shards" className="flex flex-wrap gap-2 px-4 pb-3">
        {shards.map((shard) => (
          <li key={shard.index} className="rounded-sm border px-2 py-1 text-xs">
            <span className="text-ink-3">Shard {shard.index}</span>{' '}
            {shard.mine ? (
              <span className="font-medium">here</span>
            ) : shard.holder === null ? (
              <span className="text-warn">nobody</span>
            ) : (
              <span className="break-all">{shard.holder}</span>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
