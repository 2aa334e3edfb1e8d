import { Elapsed } from '@/components/live/ago';
import { asSentence } from '@/components/ui/as-sentence';
import { Panel } from '@/components/ui/panel';
import { Sentence } from '@/components/ui/time/sentence';
import { rich } from '@/components/ui/words/rich';
import type { LeadershipView } from '@/lib/contract/system-rows';
import { t } from '@/lib/words/catalogue/console/engine';

/** Who leads, and which replica acts on which part of the keys. */
export function LeadershipPanel({ leadership }: { readonly leadership: LeadershipView }) {
  const { identity, holder, since, inForce, shards, failure } = leadership;
  const apart = inForce !== null && inForce !== shards.length;
  return (
    <Panel title={t.leadership} note={t.thisReplicaIs(identity)}>
      <p className="px-4 py-2.5">
        {holder === null ? (
          <span className="text-warn">{t.noReplicaIsTheLeader}</span>
        ) : holder === identity && since === null ? (
          <span className="text-warn">{t.thisReplicaHoldsTheLease}</span>
        ) : (
          <>
            {rich(
              t.leads(
                <span className="break-all font-medium">{holder === identity ? t.thisReplica : holder}</span>,
                since === null ? '' : t.forAfter,
              ),
            )}
            {since === null ? null : <Elapsed from={since} />}
          </>
        )}
      </p>
      {failure === null ? null : (
        <p className="break-words px-4 pb-2.5 text-warn">
          {rich(t.theLeasesCannotBeRead(<Elapsed from={failure.since} />, <Sentence text={asSentence(failure.reason)} />))}
        </p>
      )}
      {apart ? <p className="px-4 pb-2.5 text-warn">{t.activeReplicasDivideTheKeys(countOf(inForce), countOf(shards.length))}</p> : null}
      <ul aria-label={t.shardsTitle} className="flex flex-wrap gap-2 px-4 pb-3">
        {shards.map((shard) => (
          <li key={shard.index} className="rounded-sm border px-2 py-1 text-xs">
            <span className="text-ink-3">{t.shard(shard.index)}</span>{' '}
            {shard.mine ? (
              <span className="font-medium">{t.here}</span>
            ) : shard.holder === identity ? (
              <span>{t.hereWaitingBeforeItActs}</span>
            ) : apart && shard.index > 0 ? (
              <span className="text-ink-3">{t.notInForce}</span>
            ) : shard.holder === null ? (
              <span className="text-warn">{t.notHeld}</span>
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
  return t.shardsAfter(shards);
}
