'use client';

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ArrowLeftRight, ArrowRight } from 'lucide-react';
import { useChangeUrl } from '@/components/live/address/change-url';
import { useNavigate } from '@/components/live/navigate';
import { useLiveWindow } from '@/components/live/use-live-topic';
import { Button } from '@/components/ui/button';
import { ChangePanel } from '@/components/ui/data/change-panel';
import { QueryView } from '@/components/ui/data/query-view';
import { SkeletonPanels } from '@/components/ui/data/skeleton';
import { SelectBox } from '@/components/ui/form/field';
import { PageHead } from '@/components/ui/page-head';
import type { ChangeVerdict } from '@/lib/contract/change-rows';
import { t } from '@/lib/words/catalogue/delivery/changes';
import { belowApplication } from '../application-breadcrumbs';
import { applicationQueries } from '../application-queries';
import { changeQueries } from './change-queries';

const VERDICTS: readonly ChangeVerdict[] = ['deleted', 'held', 'changed', 'new', 'handed-over', 'kept'];

export interface CompareRevisionsProps {
  readonly ns: string;
  readonly name: string;
  readonly from: string;
  readonly to: string;
}

/** Two revisions of an application, each rendered as it was: what going from one to the other changes, object by object. */
export function CompareRevisionsScreen({ ns, name, from, to }: CompareRevisionsProps) {
  const { query, change } = useChangeUrl();
  const navigate = useNavigate();
  const revisions = useLiveWindow(applicationQueries.detail(ns, name)).data?.rows[0]?.revisions.map((revision) => revision.name) ?? [];
  const compared = useQuery({ ...changeQueries.compare(ns, name, { from, to }, query), placeholderData: keepPreviousData });
  const go = (between: { readonly from: string; readonly to: string }) =>
    navigate(`/applications/${ns}/${name}/compare?${new URLSearchParams(between)}`);
  const inFull = (revision: string) => (/^v\d+$/.test(revision) ? `${name}-${revision}` : revision);
  return (
    <>
      <PageHead
        breadcrumbs={belowApplication(ns, name)}
        title={
          <>
            <span className="break-all">{inFull(from)}</span>
            <ArrowRight size={16} aria-label={t.comparedWith} className="text-ink-3" />
            <span className="break-all text-accent">{inFull(to)}</span>
          </>
        }
        note={<span className="text-ink-3">{t.theDifferencesBetweenBothRevisions}</span>}
        actions={
          <>
            <RevisionBox label={t.from} value={inFull(from)} revisions={revisions} onChoose={(chosen) => go({ from: chosen, to })} />
            <Button size="icon" aria-label={t.swapTheTwo} onClick={() => go({ from: to, to: from })}>
              <ArrowLeftRight size={14} aria-hidden />
            </Button>
            <RevisionBox label={t.to} value={inFull(to)} revisions={revisions} onChoose={(chosen) => go({ from, to: chosen })} />
          </>
        }
      />
      <QueryView query={compared} awaits={t.renderingAnd(from, to)} isPage pending={<SkeletonPanels shape={[[8, 3]]} />}>
        {(page) => <ChangePanel verdicts={VERDICTS} counted={page} query={query} onQuery={change} page={page} />}
      </QueryView>
    </>
  );
}

interface RevisionBoxProps {
  readonly label: string;
  readonly value: string;
  readonly revisions: readonly string[];
  readonly onChoose: (revision: string) => void;
}

function RevisionBox({ label, value, revisions, onChoose }: RevisionBoxProps) {
  const known = revisions.includes(value) ? revisions : [value, ...revisions];
  return (
    <SelectBox label={label} value={value} onChange={(event) => onChoose(event.target.value)} className="max-w-44">
      {known.map((revision) => (
        <option key={revision}>{revision}</option>
      ))}
    </SelectBox>
  );
}
