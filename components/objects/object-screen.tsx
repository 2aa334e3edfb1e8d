'use client';

import { useQuery } from '@tanstack/react-query';
import { PageTabs } from '@/components/live/address/page-tabs';
import { ConditionsPanel } from '@/components/live/condition-list';
import { asSentence } from '@/components/ui/as-sentence';
import { CodeView } from '@/components/ui/data/code-view';
import { QueryView } from '@/components/ui/data/query-view';
import { SkeletonPanels } from '@/components/ui/data/skeleton';
import { ObjectHead } from '@/components/ui/object-head';
import { Panel } from '@/components/ui/panel';
import { PodLinks } from '@/components/ui/pod-links';
import { Sentence } from '@/components/ui/time/sentence';
import type { ObjectPage } from '@/lib/contract/object-address';
import { objectEditHref } from '@/lib/contract/object-address';
import type { ObjectDetail } from '@/lib/contract/object-rows';
import { t } from '@/lib/words/catalogue/objects/objects';
import { ActButtons } from './acts/act-buttons';
import { objectBreadcrumbs, typeOf } from './acts/object-names';
import { EventsPanel } from './events-panel';
import { ManagersList } from './managers-list';
import { FactsPanel } from './object-facts';
import { objectQueries } from './object-queries';
import { ContainersPanel } from './pods/containers-panel';
import { PodsPanel } from './pods/pods-panel';
import { ReadTime } from './read-time';
import { OwnedPanel, OwnersPanel } from './related-panels';

/** Kinds that are there to run pods: of these it is told as well that there are none. */
const RUN_PODS: readonly string[] = ['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet', 'Job'];

/** Any one object: how it is and by which rule, what happened to it, what it says, who set what, whose it is and what it owns. */
export function ObjectScreen({ at }: { readonly at: ObjectPage }) {
  const object = useQuery(objectQueries.object(at));
  const { data, error } = object;
  return (
    <>
      <ObjectHead
        breadcrumbs={objectBreadcrumbs(at, data)}
        name={at.name}
        {...(data ? { health: data.health } : {})}
        actions={
          <>
            {data?.of.group === '' && data.of.kind === 'Pod' && at.ns !== null ? <PodLinks ns={at.ns} name={at.name} size="md" /> : null}
            <ActButtons
              targets={targetsOf(data)}
              rights={data?.acts}
              blocked={data === undefined ? (error ? asSentence(error.message) : t.theObjectIsNotRead) : null}
              edit={objectEditHref(at)}
            />
          </>
        }
        note={
          <>
            {data?.message ? (
              <span className="block">
                <Sentence text={data.message} />
              </span>
            ) : null}
            <ReadTime query={object} of={data?.of} />
          </>
        }
      />
      <QueryView
        isPage
        query={object}
        awaits={t.readingFromTheCluster(at.named, at.name)}
        pending={
          <SkeletonPanels
            shape={[
              [8, 2],
              [8, 4],
            ]}
          />
        }
      >
        {(view) => <ObjectView at={at} view={view} />}
      </QueryView>
    </>
  );
}

function ObjectView({ at, view }: { readonly at: ObjectPage; readonly view: ObjectDetail }) {
  const isPod = view.of.group === '' && view.of.kind === 'Pod';
  return (
    <div className="space-y-4">
      {isPod ? <ContainersPanel at={at} /> : <PodsPanel at={at} isExpected={RUN_PODS.includes(view.of.kind)} />}
      {/* However much is told of it, the events beside that are as high. */}
      <div className="grid grid-cols-1 gap-4 xl:grid-cols-[minmax(0,1fr)_380px]">
        <div className="relative min-w-0 xl:min-h-72">
          <EventsPanel at={at} kind={view.of.kind} fills />
        </div>
        <div className="min-w-0 space-y-4">
          <FactsPanel view={view} />
          <OwnersPanel view={view} />
          <OwnedPanel view={view} />
        </div>
      </div>
      <ConditionsPanel conditions={view.conditions} note={view.conditions.length} />
      <Panel>
        <PageTabs
          label={t.about(view.name)}
          tabs={[
            { id: 'yaml', label: t.yaml, body: <Manifest view={view} /> },
            { id: 'managers', label: t.fieldsByManager, count: view.managers.length, body: <ManagersList managers={view.managers} /> },
          ]}
        />
      </Panel>
    </div>
  );
}

function Manifest({ view: { manifest, masked, name } }: { readonly view: ObjectDetail }) {
  return (
    <>
      {masked ? <p className="border-b px-4 py-2 text-ink-3 text-xs">{t.sensitiveValuesAreMaskedThey}</p> : null}
      <CodeView label={t.yamlOf(name)} code={manifest} />
    </>
  );
}

function targetsOf(data: ObjectDetail | undefined) {
  return data === undefined ? [] : [{ ...typeOf(data), uid: data.uid }];
}
