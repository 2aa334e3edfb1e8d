'use client';

import type { UseQueryResult } from '@tanstack/react-query';
import { useQuery } from '@tanstack/react-query';
import { QueryView } from '@/components/ui/data/query-view';
import { SkeletonRows } from '@/components/ui/data/skeleton';
import { SelectBox } from '@/components/ui/form/field';
import type { RollbackPreview } from '@/lib/contract/release-rows';
import { t } from '@/lib/words/catalogue/releases/decide';
import type { ReleasePlace } from '../release-queries';
import { releaseQueries } from '../release-queries';

interface RollbackChoiceProps {
  readonly place: ReleasePlace;
  readonly chosen: number | null;
  readonly onChoose: (revision: number) => void;
  /** What going back to the chosen revision does. */
  readonly preview: UseQueryResult<RollbackPreview>;
}

const WORD: Readonly<Record<RollbackPreview['objects'][number]['change'], string>> = {
  created: t.created,
  changed: t.changed,
  deleted: t.deleted,
  same: t.leftAsReleased,
};

/** The stored revision to roll back to, and what that does to each object. */
export function RollbackChoice({ place, chosen, onChoose, preview }: RollbackChoiceProps) {
  const history = useQuery(releaseQueries.historyNow(place));
  return (
    <div className="space-y-3">
      <QueryView query={history} awaits={t.readingWhatHelmStored} pending={<SkeletonRows rows={1} columns={2} />}>
        {({ revisions }) =>
          revisions.length < 2 ? (
            <p className="text-ink-2">{t.noEarlierRevision}</p>
          ) : (
            <SelectBox label={t.revisionToGoBackTo} value={chosen ?? ''} onChange={(event) => onChoose(Number(event.target.value))}>
              <option value="" disabled>
                {t.chooseARevision}
              </option>
              {revisions.slice(1).map(({ revision, status, chartVersion }) => (
                <option key={revision} value={revision}>
                  {t.revision(revision, status, chartVersion === null ? '' : t.chart(chartVersion))}
                </option>
              ))}
            </SelectBox>
          )
        }
      </QueryView>
      {chosen === null ? null : (
        <QueryView query={preview} awaits={t.comparingWhatHelmStoredOf} pending={<SkeletonRows rows={3} columns={2} />}>
          {(view) => <Preview view={view} />}
        </QueryView>
      )}
    </div>
  );
}

function Preview({ view: { from, to, objects } }: { readonly view: RollbackPreview }) {
  const moved = objects.filter(({ change }) => change !== 'same');
  return (
    <section aria-label={t.whatGoingBackDoesTo}>
      <h3 className="mb-1.5 font-medium text-ink-3 text-xs">
        {t.fromRevisionToOf({ from, to, part: moved.length === 0 ? t.noObjectDiffers : t.objects(moved.length), count: objects.length })}
      </h3>
      {moved.length === 0 ? null : (
        <ul className="max-h-56 divide-y overflow-y-auto rounded-md border">
          {moved.map(({ apiVersion, kind, ns, name, change }) => (
            <li key={`${apiVersion} ${kind} ${ns} ${name}`} className="flex flex-wrap gap-x-2 px-3 py-1.5 wrap-anywhere">
              <span className={change === 'deleted' ? 'text-bad' : change === 'created' ? 'text-good' : 'text-ink-2'}>{WORD[change]}</span>
              <span className="text-ink-3">{kind}</span>
              <span className="font-medium">{name}</span>
              {ns === null ? null : <span className="text-ink-3">{ns}</span>}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
