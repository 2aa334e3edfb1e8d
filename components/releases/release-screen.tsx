'use client';

import { useQuery } from '@tanstack/react-query';
import { PageTabs } from '@/components/live/address/page-tabs';
import { ConditionsPanel } from '@/components/live/condition-list';
import { ObjectPage } from '@/components/live/live-view';
import type { Staleness } from '@/components/live/staleness';
import { Timeline } from '@/components/live/timeline';
import { Badge } from '@/components/ui/badge';
import { Empty } from '@/components/ui/data/empty';
import { listBreadcrumbs, ObjectHead } from '@/components/ui/object-head';
import { Panel } from '@/components/ui/panel';
import { ReleaseMark } from '@/components/ui/status/release-mark';
import { Sentence } from '@/components/ui/time/sentence';
import { RELEASE_TYPES } from '@/lib/contract/release-kind';
import type { ReleaseDetail } from '@/lib/contract/release-rows';
import { nameOfKind } from '@/lib/kube/kinds';
import { t } from '@/lib/words/catalogue/releases/releases';
import { formatList } from '@/lib/words/figures';
import { ChartCommits } from './compare/chart-commits';
import { StoredContent } from './compare/stored-content';
import { ThreeWays } from './compare/three-ways';
import { OutdatedPlanPanel } from './edit/moved-plan-panel';
import { FactsPanel } from './facts-panel';
import { GatePanel } from './gate-panel';
import { HelmLog } from './log/helm-log';
import { HooksPanel } from './log/hooks-panel';
import { ObjectsPanel } from './objects-panel';
import { Reconciles } from './reconciles';
import { ReleaseActions } from './release-actions';
import { ReleaseDecisions } from './release-decisions';
import type { HelmPlace, ReleasePlace } from './release-queries';
import { momentOf, releaseQueries, storedOf } from './release-queries';
import { StoredRevisions } from './stored-revisions';
import { useLastReadable } from './use-last-readable';

const breadcrumbsOf = (ns: string) => listBreadcrumbs(t.releases, '/releases', ns);

/** One Helm release: how it stands and why, what each loop did, what Helm stored, how its objects are. */
export function ReleaseScreen({ place }: { readonly place: ReleasePlace }) {
  const { ns, name } = place;
  return (
    <ObjectPage
      query={releaseQueries.detail(place)}
      head={<ObjectHead breadcrumbs={breadcrumbsOf(ns)} name={name} />}
      awaits={t.readingTheReleaseIn(name, ns)}
      shape={[
        [3, 2],
        [5, 4],
      ]}
      missing={<Empty title={t.noResourceInDeclaresA(name, ns)}>{t.itsReleaseWasUninstalledWith}</Empty>}
    >
      {(release, staleness) => <ReleaseView release={release} place={place} staleness={staleness} />}
    </ObjectPage>
  );
}

interface ReleaseViewProps {
  readonly release: ReleaseDetail;
  readonly place: ReleasePlace;
  readonly staleness: Staleness | null;
}

function ReleaseView({ release, place, staleness }: ReleaseViewProps) {
  const { ns, name, state, engine, reconciles, timeline, decisions } = release;
  const { asked, pace } = useLastReadable(release);
  const stored = storedOf(asked);
  return (
    <div className="space-y-4">
      <ObjectHead
        breadcrumbs={breadcrumbsOf(ns)}
        name={name}
        marks={
          <>
            <ReleaseMark state={state} />
            {engine.mode === 'observe' || engine.mode === 'stopped' ? (
              <Badge tone="odd">{engine.mode === 'observe' ? t.observingOnly : t.stopped}</Badge>
            ) : null}
          </>
        }
        note={
          <span className="text-ink-3">
            {t.releaseIn(nameOfKind(RELEASE_TYPES[release.kind]), release.release.name, release.release.namespace)}
          </span>
        }
        actions={<ReleaseActions release={release} place={place} staleness={staleness} />}
      />
      {release.outdatedPlan == null ? null : <OutdatedPlanPanel release={asked} place={place} staleness={staleness} />}
      <WhyPanel release={release} place={place} stored={stored} pace={pace} />
      {release.gate === null ? null : <GatePanel gate={release.gate} origin={release.origin} />}
      <FactsPanel release={release} />
      <ObjectsPanel place={place} stored={stored} pace={pace} />
      <HooksPanel place={place} moment={stored} />
      <Panel>
        <PageTabs
          label={t.whatHappened}
          forgets="commit"
          tabs={[
            { id: 'reconciles', label: t.loops, count: reconciles.length, body: <Reconciles reconciles={reconciles} /> },
            {
              id: 'stored',
              label: t.storedRevisions,
              body: <StoredRevisions place={place} stored={stored} />,
            },
            { id: 'content', label: t.content, body: <StoredContent place={place} stored={stored} /> },
            { id: 'log', label: t.helmLog, body: <HelmLog place={place} stored={stored} pace={pace} /> },
            ...(release.origin.kind === 'git'
              ? [{ id: 'commits', label: t.commits, body: <ChartCommits release={asked} place={place} staleness={staleness} /> }]
              : []),
            { id: 'three-way', label: t.threeWay, body: <ThreeWays place={place} moment={momentOf(asked)} /> },
            { id: 'decisions', label: t.decisions, count: decisions.length, body: <ReleaseDecisions decisions={decisions} /> },
            { id: 'timeline', label: t.onRecord, count: timeline.length, body: <Timeline entries={timeline} /> },
          ]}
        />
      </Panel>
      <ConditionsPanel conditions={release.conditions} />
    </div>
  );
}

function WhyPanel({ release, place, stored, pace }: HelmPlace & Pick<ReleaseViewProps, 'release'>) {
  const { sentence, waits, upgrade, drift } = release;
  const log = useQuery(releaseQueries.log(place, stored, pace)).data?.log;
  const definitions = useQuery(releaseQueries.hooks(place, stored)).data?.definitions ?? [];
  return (
    <Panel title={t.status}>
      <dl className="divide-y">
        <Line term={t.state} text={sentence} />
        {log?.until === null ? <Line term={t.helm} text={t.helmOf(log.command, log.lines.at(-1)?.text ?? t.nothingWrittenYet)} /> : null}
        {waits === null ? null : <Line term={t.waits} text={waits} />}
        <Line term={t.upgrade} text={upgrade} />
        <Line term={t.drift} text={drift.sentence} />
        {definitions.length === 0 ? null : <Line term={t.definitions} text={t.definitionsStay(formatList(definitions))} />}
      </dl>
    </Panel>
  );
}

function Line({ term, text }: { readonly term: string; readonly text: string }) {
  return (
    <div className="grid grid-cols-1 gap-x-4 px-4 py-2 sm:grid-cols-[6rem_minmax(0,1fr)]">
      <dt className="text-ink-3">{term}</dt>
      <dd className="min-w-0 text-pretty wrap-anywhere">
        <Sentence text={text} />
      </dd>
    </div>
  );
}
