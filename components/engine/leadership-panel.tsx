import { Elapsed } from '@/components/live/ago';
import { asSentence } from '@/components/ui/as-sentence';
import { Panel } from '@/components/ui/panel';
import { Sentence } from '@/components/ui/time/sentence';
import type { LeadershipView } from '@/lib/contract/system-rows';

/** Who leads, and which replica acts on which part of the keys. */
export function LeadershipPanel({ leadership }: { readonly leadership: LeadershipView }) {
  const { identity, holder, since, inForce, shards, failure } = leadership;
  const apart = inForce !== null && inForce !== shards.length;
  return (
    <Panel title="Leadership" note={`this replica is ${identity}`}>
      <p className="px-4 py-2.5">
        {holder === null ? (
          <span className="text-warn">No replica is the leader; nothing is reconciled until one is.</span>
        ) : holder === identity && since === null ? (
          <span className="text-warn">This replica holds the Lease, but it was not renewed in time; nothing is reconciled until it is.</span>
        ) : (
          <>
            <span className="break-all font-medium">{holder === identity ? 'This replica' : holder}</span> leads
            {since === null ? '' : ', for '}
            {since === null ? null : <Elapsed from={since} />}
          </>
        )}
      </p>
      {failure === null ? null : (
        <p className="break-words px-4 pb-2.5 text-warn">
          The Leases cannot be read or written, for <Elapsed from={failure.since} />: <Sentence text={asSentence(failure.reason)} />
        </p>
      )}
      {apart ? (
        <p className="px-4 pb-2.5 text-warn">
          Active replicas divide the keys into {countOf(inForce)}, this replica into {countOf(shards.length)}: it joins once they have left or use the same
          number.
        </p>
      ) : null}
      <ul aria-label="Shards" className="flex flex-wrap gap-2 px-4 pb-3">
        {shards.map((shard) => (
          <li key={shard.index} className="rounded-sm border px-2 py-1 text-xs">
            <span className="text-ink-3">Shard {shard.index}</span>{' '}
            {shard.mine ? (
              <span className="font-medium">here</span>
            ) : shard.holder === identity ? (
              <span>here, waiting before it acts</span>
            ) : apart && shard.index > 0 ? (
              <span className="text-ink-3">not in force</span>
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

function countOf(shards: number): string {
  return shards === 1 ? '1 shard' : `${shards} shards`;
}
