import { Verdict } from '@/components/ui/data/change-list';
import { rich } from '@/components/ui/words/rich';
import type { ReleasePlan } from '@/lib/contract/release-edit';
import { t } from '@/lib/words/catalogue/releases/edit';
import { shortRevision } from '@/lib/words/format-release';
import { ContentComparison } from '../compare/content-comparison';

const WORD = { created: 'new', changed: 'changed', deleted: 'deleted' } as const;
const CHANGES = ['created', 'changed', 'deleted'] as const;

/** How many objects a plan creates, changes and deletes. */
export function PlanCounts({ plan: { objects } }: { readonly plan: Pick<ReleasePlan, 'objects'> }) {
  if (objects.length === 0) return <p className="text-ink-3">{t.noObjectDiffers}</p>;
  return (
    <ul aria-label={t.whatHappensToObjects} className="flex flex-wrap gap-x-4 gap-y-1">
      {CHANGES.map((change) => {
        const count = objects.filter((object) => object.change === change).length;
        return count === 0 ? null : (
          <li key={change} className="flex items-center gap-1.5">
            {count} <Verdict verdict={WORD[change]} />
          </li>
        );
      })}
    </ul>
  );
}

/** What releasing would do: values, objects one by one, and what of it nobody can promise. */
export function ReleasePlanView({ plan }: { readonly plan: ReleasePlan }) {
  const { from, revision, nondeterministic, left } = plan;
  return (
    <div className="space-y-3">
      <p className="text-ink-3 text-xs">
        {rich(
          t.theChartIsAt(
            from === null ? t.helmHasStoredNothingOf : t.comparedWithStoredRevision(from),
            <code title={revision}>{shortRevision(revision)}</code>,
          ),
        )}
      </p>
      <ContentComparison content={plan} />
      {nondeterministic.length === 0 ? null : <Nondeterministic places={nondeterministic} says={t.theChartGeneratesANew} />}
      {left.length === 0 ? null : (
        <p className="text-ink-3 text-xs">
          {t.objectsThatTheChartNo(left.length, left.map(({ kind, name }) => `${kind} ${name ?? ''}`).join(', '))}
        </p>
      )}
    </div>
  );
}

interface NondeterministicProps {
  readonly places: ReleasePlan['nondeterministic'];
  /** What becomes of them. */
  readonly says: string;
}

/** What a chart makes up anew at each rendering. */
export function Nondeterministic({ places, says }: NondeterministicProps) {
  return (
    <section aria-label={t.differsEachRender}>
      <h3 className="font-medium">{t.differsEachRender}</h3>
      <p className="text-ink-3 text-xs">{says}</p>
      <ul className="mt-1 space-y-0.5">
        {places.map(({ apiVersion, kind, ns, name, paths }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: several objects without a name are alike
          <li key={`${apiVersion} ${kind} ${ns} ${name ?? ''} ${at}`} className="wrap-anywhere">
            <span className="text-ink-3">{kind}</span> {name ?? <span className="text-ink-2">{t.underAnotherNameEachRender}</span>}
            {paths === null || paths.length === 0 ? null : <code className="ml-2 text-xs">{paths.join(', ')}</code>}
          </li>
        ))}
      </ul>
    </section>
  );
}
