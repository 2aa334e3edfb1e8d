'use client';

import { Table2 } from 'lucide-react';
import Link from 'next/link';
import { ObjectPage } from '@/components/live/live-view';
import { buttonVariants } from '@/components/ui/button';
import { Empty } from '@/components/ui/data/empty';
import { PageHead } from '@/components/ui/page-head';
import { Panel } from '@/components/ui/panel';
import { FavouriteButton } from '@/components/ui/preferences/favourite-button';
import { Sentence } from '@/components/ui/time/sentence';
import type { TrackerDetail } from '@/lib/contract/tracker-rows';
import { t } from '@/lib/words/catalogue/delivery/trackers';
import { Ledger } from './ledger';
import { trackerQueries } from './tracker-queries';
import { TrackerState } from './tracker-state';

const TRAIL = [{ label: t.trackers, href: '/trackers' }];

/** One tracker: what it recorded and who owns each object now. */
export function TrackerScreen({ name }: { readonly name: string }) {
  return (
    <ObjectPage
      query={trackerQueries.detail(name)}
      head={<PageHead breadcrumbs={TRAIL} title={<span className="wrap-anywhere">{name}</span>} />}
      awaits={t.readingTheTracker(name)}
      shape={[[8, 4]]}
      missing={<Empty title={t.thereIsNoTrackerAny(name)}>{t.itsObjectsWereDeletedOr}</Empty>}
    >
      {(tracker) => <TrackerView tracker={tracker} />}
    </ObjectPage>
  );
}

function TrackerView({ tracker }: { readonly tracker: TrackerDetail }) {
  const { name, application, ns, revision, state, message, entries, unlisted, siblings } = tracker;
  return (
    <div className="space-y-4">
      <PageHead
        breadcrumbs={TRAIL}
        aside={<FavouriteButton />}
        title={
          <>
            <span className="wrap-anywhere">{name}</span>
            <TrackerState state={state} />
          </>
        }
        note={
          <span className="flex flex-wrap gap-x-4 text-ink-3">
            {application && ns ? (
              <Link
                href={`/applications/${ns}/${application}`}
                className="rounded-sm underline decoration-line-strong underline-offset-2 hover:text-ink"
              >
                {t.applicationIn(application, ns)}
              </Link>
            ) : null}
            {revision ? <span>{t.revision(revision)}</span> : null}
            {message ? (
              <span className="text-ink-2">
                <Sentence text={message} />
              </span>
            ) : null}
          </span>
        }
        actions={
          application && ns ? (
            <Link href={`/applications/${ns}/${application}/ledger`} className={buttonVariants({ look: 'secondary', size: 'md' })}>
              <Table2 size={14} aria-hidden /> {t.allRevisions}
            </Link>
          ) : null
        }
      />
      <div className="grid grid-cols-1 items-start gap-4 xl:grid-cols-[minmax(0,1fr)_340px]">
        <Ledger entries={entries} application={application && ns ? { ns, name: application } : null} />
        <div className="space-y-4">
          <Siblings name={name} siblings={siblings} />
          <Unlisted objects={unlisted} />
        </div>
      </div>
    </div>
  );
}

function Siblings({ name, siblings }: { readonly name: string; readonly siblings: TrackerDetail['siblings'] }) {
  return (
    <Panel title={t.compareWith}>
      {siblings.length === 0 ? (
        <p className="px-4 py-3 text-ink-3">{t.theApplicationHasNoOther}</p>
      ) : (
        <ul className="divide-y">
          {siblings.map((sibling) => (
            <li key={sibling.name} className="relative flex items-center gap-2 px-4 py-2 hover:bg-hover">
              <Link
                href={`/trackers/${name}/compare/${sibling.name}`}
                className="min-w-0 flex-1 truncate rounded-sm font-medium after:absolute after:inset-0"
              >
                {sibling.revision ?? sibling.name}
              </Link>
              <TrackerState state={sibling.state} />
            </li>
          ))}
        </ul>
      )}
      <p className="border-t px-4 py-2 text-ink-3 text-xs">{t.whatGarbageCollectionWouldDeleteKeep}</p>
    </Panel>
  );
}

function Unlisted({ objects }: { readonly objects: TrackerDetail['unlisted'] }) {
  if (objects.length === 0) return null;
  return (
    <Panel title={t.ownedButNotRecorded} note={objects.length}>
      <ul className="divide-y">
        {objects.map((object) => (
          <li key={`${object.apiVersion} ${object.kind} ${object.ns} ${object.name}`} className="px-4 py-2 wrap-anywhere">
            <span className="text-ink-3">{object.kind}</span> <span className="font-medium">{object.name}</span>
            {object.ns ? <span className="text-ink-3"> {t.in(object.ns)}</span> : null}
          </li>
        ))}
      </ul>
      <p className="border-t px-4 py-2 text-ink-3 text-xs">{t.theseNameTheTrackerAs}</p>
    </Panel>
  );
}
