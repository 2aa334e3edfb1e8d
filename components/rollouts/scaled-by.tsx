import { Sentence } from '@/components/ui/time/sentence';
import type { RevisionScaler } from '@/lib/contract/rollout-rows';
import { t } from '@/lib/words/catalogue/delivery/rollouts';

const STATE_NOTE: Readonly<Record<RevisionScaler['state'], string | null>> = {
  scaling: null,
  holding: t.noMetricsKeepsItsBounds,
  asleep: t.inactiveAtZeroReplicas,
};

/** Who counts the replicas of a revision, and the bounds it has from the rollout right now. */
export function ScaledBy({ scaler }: { readonly scaler: RevisionScaler }) {
  const note = STATE_NOTE[scaler.state];
  return (
    <>
      <dt className="text-ink-3">{t.scaledBy}</dt>
      <dd className="min-w-0">
        <span className="wrap-anywhere">{t.hpa(scaler.name)}</span>, {scaler.min} – {scaler.max}
        {note === null ? null : (
          <span className="block text-ink-3">
            {note}
            <Sentence text={scaler.message ? `: ${scaler.message}` : ''} />
          </span>
        )}
      </dd>
    </>
  );
}
