'use client';

import { CircleSlash, UserRound } from 'lucide-react';
import Link from 'next/link';
import { LiveView } from '@/components/live/live-view';
import { Empty } from '@/components/ui/data/empty';
import { SkeletonRows } from '@/components/ui/data/skeleton';
import { PageHead } from '@/components/ui/page-head';
import { Panel } from '@/components/ui/panel';
import { HealthMark } from '@/components/ui/status/status';
import type { LedgerEntry, TrackerDetail } from '@/lib/contract/tracker-rows';
import { trackerQueries } from './tracker-queries';
import { TrackerState } from './tracker-state';

/** One tracker: what it recorded and who owns each object now. */
export function TrackerScreen({ name }: { readonly name: string }) {
  return (
    <LiveView
      isPage
      query={trackerQueries.detail(name)}
      awaits={`Reading the tracker ${name}.`}
      pending={
        <Panel>
          <SkeletonRows columns={4} />
        </Panel>
      }
      empty={<Empty title={`There is no tracker ${name} any more`}>Its objects were collected or handed over, and it went with them.</Empty>}
    >
      {(window) => window.rows[0] && <TrackerView tracker={window.rows[0]} />}
    </LiveView>
  );
}

function TrackerView({ tracker }: { readonly tracker: TrackerDetail }) {
  const { name, application, ns, revision, state, message, entries, unlisted, siblings } = tracker;
  return (
    <div className="space-y-4">
      <PageHead
        trail={[{ label: 'Trackers', href: '/trackers' }]}
        title={
          <>
            <span className="break-all">{name}</span>
            <TrackerState state={state} />
          </>
        }
        note={
          <span className="flex flex-wrap gap-x-4 text-ink-3">
            {application && ns ? (
              <Link href={`/applications/${ns}/${application}`} className="rounded-sm underline decoration-line-strong underline-offset-2 hover:text-ink">
                Application {application} in {ns}
              </Link>
            ) : null}
            {revision ? <span>revision {revision}</span> : null}
            {message ? <span className="text-ink-2">{message}</span> : null}
          </span>
        }
      />
      <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,1fr)_340px]">
        <Panel title="Ledger" note={`${entries.length} recorded, ${entries.filter((entry) => entry.ownedByThis).length} owned by this tracker`}>
          {entries.length === 0 ? <Empty title="Nothing recorded">This revision has put nothing into the cluster yet.</Empty> : <Ledger entries={entries} />}
        </Panel>
        <div className="space-y-4">
          <Siblings name={name} siblings={siblings} />
          <Unlisted objects={unlisted} />
        </div>
      </div>
    </div>
  );
}

function Ledger({ entries }: { readonly entries: readonly LedgerEntry[] }) {
  return (
    <ul aria-label="Recorded objects" className="divide-y">
      {entries.map((entry) => (
        <li key={entry.id} className="flex flex-wrap items-start gap-x-3 gap-y-0.5 px-4 py-2">
          <span className="mt-[3px] inline-flex">
            <HealthMark health={entry.health} />
          </span>
          <div className="min-w-0 flex-1 basis-56">
            <p className="break-words">
              <span className="text-ink-3">{entry.kind}</span> <span className="font-medium">{entry.name}</span>
              {entry.ns ? <span className="text-ink-3"> in {entry.ns}</span> : null}
            </p>
            {entry.message ? <p className="text-ink-3 text-xs">{entry.message}</p> : null}
          </div>
          <Owner entry={entry} />
        </li>
      ))}
    </ul>
  );
}

function Owner({ entry }: { readonly entry: LedgerEntry }) {
  if (!entry.exists) {
    return (
      <span className="inline-flex items-center gap-1.5 text-warn text-xs leading-5">
        <CircleSlash size={12} aria-hidden /> not in the cluster
      </span>
    );
  }
  if (entry.ownedByThis) {
    return (
      <span className="inline-flex items-center gap-1.5 text-good text-xs leading-5">
        <UserRound size={12} aria-hidden /> this tracker
      </span>
    );
  }
  if (entry.ownedBy === null) return <span className="text-ink-3 text-xs leading-5">nobody owns it</span>;
  return (
    <Link href={`/trackers/${entry.ownedBy}`} className="inline-flex items-center gap-1.5 rounded-sm text-accent text-xs leading-5 hover:underline">
      <UserRound size={12} aria-hidden /> {entry.ownedBy}
    </Link>
  );
}

function Siblings({ name, siblings }: { readonly name: string; readonly siblings: TrackerDetail['siblings'] }) {
  return (
    <Panel title="Compare with">
      {siblings.length === 0 ? (
        <p className="px-4 py-3 text-ink-3">The application has no other tracker.</p>
      ) : (
        <ul className="divide-y">
          {siblings.map((sibling) => (
            <li key={sibling.name} className="relative flex items-center gap-2 px-4 py-2 hover:bg-hover">
              <Link href={`/trackers/${name}/compare/${sibling.name}`} className="min-w-0 flex-1 truncate rounded-sm font-medium after:absolute after:inset-0">
                {sibling.revision ?? sibling.name}
              </Link>
              <TrackerState state={sibling.state} />
            </li>
          ))}
        </ul>
      )}
      <p className="border-t px-4 py-2 text-ink-3 text-xs">
        What collecting this tracker in favour of the other would do, object by object. Looking changes nothing.
      </p>
    </Panel>
  );
}

function Unlisted({ objects }: { readonly objects: TrackerDetail['unlisted'] }) {
  if (objects.length === 0) return null;
  return (
    <Panel title="Owned but not recorded" note={objects.length}>
      <ul className="divide-y">
        {objects.map((object) => (
          <li key={`${object.apiVersion} ${object.kind} ${object.ns} ${object.name}`} className="px-4 py-2">
            <span className="text-ink-3">{object.kind}</span> <span className="font-medium">{object.name}</span>
            {object.ns ? <span className="text-ink-3"> in {object.ns}</span> : null}
          </li>
        ))}
      </ul>
      <p className="border-t px-4 py-2 text-ink-3 text-xs">
        These name the tracker as their owner although it does not list them. They are shown, never collected.
      </p>
    </Panel>
  );
}
