'use client';

import { ArrowRight, Box, Plus } from 'lucide-react';
import Link from 'next/link';
import { DriftCount } from '@/components/drift/drift-count';
import { useListUrl } from '@/components/live/address/list-url';
import { Ago } from '@/components/live/ago';
import { useCreateRefusal } from '@/components/live/application-rights';
import { METADATA_COLUMNS } from '@/components/live/filters/metadata-columns';
import { ListPanel } from '@/components/live/list-panel';
import { Button, buttonVariants } from '@/components/ui/button';
import { cx } from '@/components/ui/cx';
import type { Column } from '@/components/ui/data/data-table';
import { Empty } from '@/components/ui/data/empty';
import { SelectBox } from '@/components/ui/form/field';
import { PageHead } from '@/components/ui/page-head';
import { ActivityMark, Health } from '@/components/ui/status/status';
import { HEALTH_STYLE } from '@/components/ui/status/tone';
import { Sentence } from '@/components/ui/time/sentence';
import { LongName } from '@/components/ui/words/long-name';
import { rich } from '@/components/ui/words/rich';
import type { ApplicationRow } from '@/lib/contract/application-rows';
import { HEALTH_STATUSES } from '@/lib/contract/health';
import { t } from '@/lib/words/catalogue/delivery/applications';
import { applicationQueries } from './application-queries';

const HEALTH_FILTER = {
  label: t.health,
  any: t.anyHealth,
  options: HEALTH_STATUSES.map((health) => ({ id: health, word: HEALTH_STYLE[health].word })),
};

const COLUMNS: readonly Column<ApplicationRow>[] = [
  { id: 'name', head: t.application, sort: 'name', cell: (row) => row.name },
  { id: 'ns', head: t.namespace, sort: 'ns', className: 'text-ink-2', cell: (row) => row.ns },
  { id: 'health', head: t.health, sort: 'health', cell: (row) => <Health health={row.health} /> },
  { id: 'activity', head: t.activity, sort: 'activity', cell: (row) => <ActivityCell row={row} /> },
  { id: 'revision', head: t.revision, cell: (row) => <RevisionCell row={row} /> },
  { id: 'images', head: t.images, className: 'max-w-36 text-ink-3 @6xl:max-w-64', cell: (row) => <Images images={row.images} /> },
  { id: 'objects', head: t.objects, sort: 'objects', numeric: true, className: 'text-ink-2', cell: (row) => row.objects },
  { id: 'drift', head: t.drift, sort: 'drifted', cell: (row) => <DriftCount row={row} /> },
  { id: 'updatedAt', head: t.changed, sort: 'updated', numeric: true, className: 'text-ink-3', cell: (row) => <Ago at={row.updatedAt} /> },
  ...METADATA_COLUMNS,
];

/** Every application one may see; thousands of them are filtered, sorted and paged by the server. */
export function ApplicationsScreen() {
  const url = useListUrl();
  return (
    <>
      <PageHead title={t.applications} actions={<NewApplication />} />
      <ListPanel
        noun={t.applicationsInline}
        url={url}
        rows={applicationQueries.list(url.query)}
        columns={COLUMNS}
        marked="applications"
        filter={HEALTH_FILTER}
        more={
          <SelectBox
            label={t.drift}
            value={url.query.drifted ? '1' : ''}
            onChange={(event) => url.change({ drifted: event.target.value === '1' })}
          >
            <option value="">{t.withOrWithoutDrift}</option>
            <option value="1">{t.drifted}</option>
          </SelectBox>
        }
        moreChips={
          url.query.drifted ? [{ id: 'drifted', label: t.drift, value: t.drifted, onRemove: () => url.change({ drifted: false }) }] : []
        }
        hrefOf={(row) => `/applications/${row.key}`}
        card={(row) => <ApplicationCard row={row} />}
        of="applications"
        empty={(isFiltered) => <NoApplications filtered={isFiltered} />}
      />
    </>
  );
}

function NewApplication() {
  const refusal = useCreateRefusal();
  const label = (
    <>
      <Plus size={14} aria-hidden /> {t.newApplication}
    </>
  );
  if (refusal !== null) {
    return (
      <Button size="md" blocked={refusal}>
        {label}
      </Button>
    );
  }
  return (
    <Link href="/applications/new" className={buttonVariants({ look: 'secondary', size: 'md' })}>
      {label}
    </Link>
  );
}

function NoApplications({ filtered }: { readonly filtered: boolean }) {
  if (filtered) return <Empty title={t.noApplicationMatches}>{t.changeTheSearchOrThe}</Empty>;
  return (
    <Empty icon={<Box size={17} aria-hidden />} title={t.noApplicationsYet} action={<NewApplication />}>
      {t.writeOneHereOrApply}
      {rich(
        t.andItAppearsByItself(
          <code className="mx-1 whitespace-nowrap rounded-sm bg-pressed px-1 font-mono text-ink-2 text-xs">
            kubectl apply -f application.yaml
          </code>,
        ),
      )}
    </Empty>
  );
}

function ActivityCell({ row }: { readonly row: ApplicationRow }) {
  return (
    <span className="inline-flex items-center gap-2 align-top">
      <ActivityMark activity={row.activity} />
      {row.stage && row.stage.count > 0 ? (
        <span className="text-ink-3 text-xs">
          {row.stage.index}/{row.stage.count}
        </span>
      ) : null}
    </span>
  );
}

function RevisionCell({ row }: { readonly row: ApplicationRow }) {
  return (
    <span className="inline-flex flex-wrap items-center gap-x-1.5 align-top">
      {row.revision ? <RevisionName name={row.revision} /> : <span className="text-ink-3">–</span>}
      {row.target && row.target !== row.revision ? (
        <span className="inline-flex items-center gap-1.5 whitespace-nowrap">
          <ArrowRight size={12} aria-label={t.to} className="text-ink-3" />
          <RevisionName name={row.target} className="text-accent" />
        </span>
      ) : null}
    </span>
  );
}

function RevisionName({ name, className }: { readonly name: string; readonly className?: string }) {
  return <LongName name={name} className={cx('max-w-40', className)} />;
}

function Images({ images }: { readonly images: readonly string[] }) {
  const [first, ...others] = images;
  if (!first) return <>–</>;
  return (
    <p className="truncate text-xs" title={images.join('\n')}>
      {first.slice(first.lastIndexOf('/') + 1)}
      {others.length > 0 ? ` +${others.length}` : ''}
    </p>
  );
}

function ApplicationCard({ row }: { readonly row: ApplicationRow }) {
  return (
    <>
      <div className="flex items-center gap-2">
        <span className="line-clamp-3 min-w-0 flex-1 wrap-anywhere">
          <span className="font-medium">{row.name}</span> <span className="text-ink-3">{row.ns}</span>
        </span>
        <Health health={row.health} className="text-xs" />
      </div>
      {row.message ? (
        <p className="mt-0.5 line-clamp-2 text-ink-2">
          <Sentence text={row.message} />
        </p>
      ) : null}
      <div className="mt-1.5 flex flex-wrap items-center gap-x-3 gap-y-1 text-xs">
        <ActivityCell row={row} />
        <RevisionCell row={row} />
        {row.drifted > 0 ? <DriftCount row={row} /> : null}
      </div>
    </>
  );
}
