'use client';

import { useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { Ago } from '@/components/live/ago';
import { ConditionList } from '@/components/live/condition-list';
import { ActButtons } from '@/components/objects/acts/act-buttons';
import { EventList } from '@/components/objects/event-list';
import { objectQueries } from '@/components/objects/object-queries';
import { asSentence } from '@/components/ui/as-sentence';
import { CodeView } from '@/components/ui/data/code-view';
import { QueryView } from '@/components/ui/data/query-view';
import { SkeletonRows } from '@/components/ui/data/skeleton';
import { Drawer } from '@/components/ui/overlay/dialog';
import { PodLinks } from '@/components/ui/pod-links';
import { Health } from '@/components/ui/status/status';
import { Tabs } from '@/components/ui/tabs';
import { Sentence } from '@/components/ui/time/sentence';
import { rich } from '@/components/ui/words/rich';
import { objectEditHref, objectHref } from '@/lib/contract/object-address';
import type { TreeNode } from '@/lib/contract/tree-rows';
import { groupOf } from '@/lib/kube/object';
import { readEscapedName } from '@/lib/std/text/hidden-characters';
import { t } from '@/lib/words/catalogue/delivery/applications';
import type { ObjectView } from './application-queries';
import { applicationQueries } from './application-queries';

export interface ObjectDrawerProps {
  readonly node: TreeNode;
  /** From the one just above up to the application. */
  readonly owners: readonly TreeNode[];
  /** Which tab is open; null of the first. */
  readonly tab: string | null;
  readonly onTab: (tab: string | null) => void;
  readonly onOpen: (node: TreeNode) => void;
  readonly onClose: () => void;
}

const CONDITIONS = 'conditions';

/** One object close up: as it is in the cluster now, read as the person, and what happened to it. */
export function ObjectDrawer({ node, owners, tab, onTab, onOpen, onClose }: ObjectDrawerProps) {
  const object = useQuery(applicationQueries.object(node));
  return (
    <Drawer
      open
      onOpenChange={(open) => !open && onClose()}
      title={node.name}
      description={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span>
            {node.kind}
            {node.ns ? t.in(node.ns) : ''}
          </span>
          <Health health={node.health} />
          {node.message ? (
            <span className="basis-full text-ink-2">
              <Sentence text={node.message} />
            </span>
          ) : null}
          {node.rule ? <span className="basis-full break-words text-ink-3 text-xs">{t.statusBy(node.rule)}</span> : null}
          <Source node={node} isRead={object.data !== undefined} />
          <Link href={objectHref(node)} className="rounded-sm font-medium text-accent text-xs hover:underline">
            {t.openItsPage}
          </Link>
          {node.kind === 'Pod' && node.apiVersion === 'v1' && node.ns !== null ? <PodLinks ns={node.ns} name={node.name} /> : null}
          {owners.length === 0 ? null : <OwnerChain owners={owners} onOpen={onOpen} />}
        </span>
      }
    >
      <NodeActs node={node} />
      <QueryView query={object} awaits={t.readingFromTheCluster(node.kind, node.name)} pending={<SkeletonRows rows={12} columns={1} />}>
        {(view) => (
          <Tabs
            label={t.about(node.name)}
            shown={tab ?? undefined}
            onShow={(id) => onTab(id === CONDITIONS ? null : id)}
            tabs={[
              {
                id: CONDITIONS,
                label: t.conditions,
                count: view.conditions.length,
                body: <Conditions conditions={view.conditions} kind={node.kind} />,
              },
              { id: 'manifest', label: t.manifest, body: <CodeView label={t.manifestOf(node.name)} code={view.manifest} /> },
              {
                id: 'events',
                label: t.events,
                count: view.events.length,
                body: <Events events={view.events} left={view.left} node={node} />,
              },
            ]}
          />
        )}
      </QueryView>
    </Drawer>
  );
}

/** What can be done to the object, in one place whatever the tabs show. */
function NodeActs({ node: { apiVersion, kind, ns, uid, ...node } }: { readonly node: TreeNode }) {
  const name = readEscapedName(node.name);
  const at = { group: groupOf(apiVersion), named: kind, ns, name };
  const { data, error } = useQuery(objectQueries.object(at));
  const targets = uid === null ? [] : [{ apiVersion, kind, name, uid, ...(ns === null ? {} : { ns }) }];
  const unread = data === undefined ? (error ? asSentence(error.message) : t.theObjectIsNotRead) : null;
  const blocked = uid === null ? t.theObjectIsNotThere : unread;
  return (
    <div className="border-b px-5 py-2.5">
      <ActButtons size="sm" targets={targets} rights={data?.acts} blocked={blocked} edit={objectEditHref(at)} />
    </div>
  );
}

/** How old our knowledge of the object's status is, and where it is from. */
function Source({ node: { kind, known }, isRead }: { readonly node: TreeNode; readonly isRead: boolean }) {
  return (
    <span className="basis-full text-xs">
      {known.source === 'watch' ? (
        t.statusFromALiveWatch(isRead)
      ) : (
        <span className="text-warn">
          {rich(
            t.statusAsOf(
              <Ago at={known.at} />,
              known.source === 'poll' ? t.polledObjectsCannotBeWatched(kind) : t.fromOurCopyTheWatch(kind),
            ),
          )}
        </span>
      )}
    </span>
  );
}

function OwnerChain({ owners, onOpen }: { readonly owners: readonly TreeNode[]; readonly onOpen: (node: TreeNode) => void }) {
  return (
    <nav aria-label={t.owners} className="basis-full text-xs">
      <ol className="flex flex-wrap items-center gap-x-1.5">
        {owners.map((owner) => (
          <li key={owner.id} className="flex items-center gap-1.5">
            <span>{owner.origin === 'recorded' || owner.origin === 'generated' ? t.madeBy : t.partOf}</span>
            <button
              type="button"
              onClick={() => onOpen(owner)}
              className="break-all rounded-sm text-left text-ink underline decoration-line-strong underline-offset-2"
            >
              {owner.kind} {owner.name}
            </button>
          </li>
        ))}
      </ol>
    </nav>
  );
}

function Conditions({ conditions, kind }: { readonly conditions: ObjectView['conditions']; readonly kind: string }) {
  if (conditions.length === 0) return <p className="px-5 py-6 text-ink-3">{t.thisReportsNoConditions(kind)}</p>;
  return <ConditionList conditions={conditions} className="px-5" />;
}

function Events({ events, left, node }: Pick<ObjectView, 'events' | 'left'> & { readonly node: TreeNode }) {
  return (
    <>
      {left.map((sentence) => (
        <p key={sentence} className="border-b px-5 py-2 text-warn text-xs">
          {sentence}
        </p>
      ))}
      {events.length === 0 ? (
        <p className="px-5 py-6 text-ink-3">{t.noEventsKubernetesKeepsThem}</p>
      ) : (
        <EventList events={events} of={node} className="px-5" />
      )}
    </>
  );
}
