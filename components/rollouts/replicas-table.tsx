import type { ActionView } from '@/lib/contract/rollout-rows';
import { t } from '@/lib/words/catalogue/delivery/rollouts';
import { formatNumber } from '@/lib/words/figures';

const ABOUT: Readonly<Record<ActionView['replicas'][number]['exact'], string>> = { exactly: '', atLeast: t.atLeast, atMost: t.atMost };

/** Replicas of each revision that a decision changes: now, once the next stage is reached, and at the end. */
export function ReplicasTable({ action: { replicas, peak, verb } }: { readonly action: Pick<ActionView, 'replicas' | 'peak' | 'verb'> }) {
  if (replicas.length === 0) return null;
  return (
    <section aria-label={t.replicas}>
      <h3 className="mb-1.5 font-medium text-ink-3 text-xs">{t.replicas}</h3>
      <table className="w-full text-left">
        <thead className="text-ink-3 text-xs">
          <tr>
            <th scope="col" className="pr-3 font-normal">
              {t.revisionTitle}
            </th>
            <th scope="col" className="pr-3 text-right font-normal">
              {t.now}
            </th>
            <th scope="col" className="pr-3 text-right font-normal">
              {t.nextStage}
            </th>
            <th scope="col" className="text-right font-normal">
              {t.atTheEnd}
            </th>
          </tr>
        </thead>
        <tbody>
          {replicas.map(({ revision, now, next, end, exact }) => (
            <tr key={revision}>
              <th scope="row" className="max-w-40 truncate pr-3 font-medium" title={revision}>
                {revision}
              </th>
              <td className="pr-3 text-right">{formatNumber(now)}</td>
              <td className="pr-3 text-right">{formatNumber(next)}</td>
              <td className="text-right">
                {ABOUT[exact]}
                {formatNumber(end)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {peak === null ? null : (
        <p className="mt-1 text-ink-3 text-xs">{t.atMostRunAtOnce(peak, verb === 'abort' ? t.onTheWayBack : t.alongTheWay)}</p>
      )}
    </section>
  );
}
