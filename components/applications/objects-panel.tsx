'use client';

import { List, Printer, Workflow } from 'lucide-react';
import type { ReactNode } from 'react';
import { useDeferredValue, useState } from 'react';
import { NoMatch } from '@/components/live/filters/no-match';
import { RefusedSelector } from '@/components/live/filters/refused-selector';
import { LiveView } from '@/components/live/live-view';
import { useLiveWindow } from '@/components/live/use-live-topic';
import { TreeFilter } from '@/components/tree/tree-filter';
import { TreeList } from '@/components/tree/tree-list';
import type { TreePlace } from '@/components/tree/tree-queries';
import { treeQueries } from '@/components/tree/tree-queries';
import type { TreeView } from '@/components/tree/tree-view';
import { toggleMark } from '@/components/tree/tree-view';
import { usePrintAll } from '@/components/tree/use-print-all';
import { useTreeView } from '@/components/tree/use-tree-view';
import { Button } from '@/components/ui/button';
import { Empty } from '@/components/ui/data/empty';
import { SkeletonRows } from '@/components/ui/data/skeleton';
import { lazyOnDemand } from '@/components/ui/overlay/lazy/lazy-module';
import { LazyPart } from '@/components/ui/overlay/lazy/lazy-part';
import { usePageActs } from '@/components/ui/overlay/page-acts';
import { Panel } from '@/components/ui/panel';
import type { ApplicationDetail } from '@/lib/contract/application-rows';
import type { GraphNode } from '@/lib/contract/graph-rows';
import { isNarrowed } from '@/lib/contract/lists/tree-query';
import type { TreeLine, TreeLocation, TreeNode } from '@/lib/contract/tree-rows';
import { markOf } from '@/lib/contract/tree-rows';
import { refuseSelector } from '@/lib/kube/labels/refuse-selector';
import { t } from '@/lib/words/catalogue/delivery/applications';
import { formatNumber } from '@/lib/words/figures';
import { ObjectDrawer } from './object-drawer';

// What draws graphs is read when somebody looks at one.
const graphView = lazyOnDemand(async () => (await import('@/components/graph/graph-view')).GraphView);

type Change = (change: Partial<TreeView>) => void;

/** What an application consists of, as a list or as a graph; both show the same object picked, which the address names. */
export function ObjectsPanel({ application }: { readonly application: ApplicationDetail }) {
  const { view, change, viewNow } = useTreeView();
  const { objects } = application;
  const [clicked, setClicked] = useState<TreeNode | null>(null);
  const picked = usePicked(application, view, clicked);
  // The line that was clicked is marked at once, before the drawer is drawn.
  const isLook = useDeferredValue(view.isLook);
  const filter = <TreeFilter place={application} query={view.query} counts={objects} onChange={(query) => change({ query })} />;
  const refused = formatRefused(view, change);
  const paper = usePrintAll(application, view.query);
  usePageActs([{ id: 'print', verb: t.print, label: t.printWithAllObjects, blocked: null, run: paper.print }]);
  return (
    <Panel
      title={t.objects}
      note={noteOf(application, view)}
      actions={
        <>
          <Button
            look="ghost"
            size="icon"
            className="max-sm:hidden"
            aria-label={t.printWithAllObjects}
            title={t.printWithAllObjects}
            pending={paper.isReading ? <Printer size={14} aria-hidden className="animate-breathe" /> : null}
            onClick={paper.print}
          >
            <Printer size={14} aria-hidden />
          </Button>
          <ViewSwitch isGraph={view.isGraph} onChange={(isGraph) => change({ isGraph })} />
        </>
      }
    >
      {objects.total === 0 ? (
        <Empty title={t.noObjectsYet}>{t.theyAppearHereAsThe}</Empty>
      ) : view.isGraph && !paper.showsAll ? (
        <>
          {filter}
          {refused ?? <Graph place={application} view={view} change={change} pickedNow={() => viewNow().object} />}
        </>
      ) : (
        <>
          {filter}
          {refused ?? (
            <Lines
              place={application}
              view={view}
              change={change}
              location={picked.location}
              showsAll={paper.showsAll}
              onClicked={setClicked}
            />
          )}
        </>
      )}
      {isLook && picked.node !== null ? (
        <ObjectDrawer
          node={picked.node}
          owners={picked.location?.owners ?? []}
          tab={view.tab}
          onTab={(tab) => change({ tab })}
          onOpen={(node) => change({ object: node.id })}
          onClose={() => change({ isLook: false })}
        />
      ) : null}
    </Panel>
  );
}

/** What stands in the place of the objects while the selector of the address cannot be read. */
function formatRefused({ query }: TreeView, change: Change): ReactNode {
  const wrong = query.labels === undefined ? null : refuseSelector(query.labels);
  const { labels: _labels, ...readable } = query;
  return wrong === null ? null : <RefusedSelector why={wrong} onClear={() => change({ query: readable })} />;
}

function noteOf({ objects: { total, statuses } }: ApplicationDetail, { isGraph }: TreeView): string {
  if (total === 0) return '';
  const unwell = statuses.reduce((sum, { health, count }) => (health === 'Current' ? sum : sum + count), 0);
  return `${formatNumber(total)}${unwell === 0 ? t.allCurrent : t.ofWhichNotCurrent(unwell)}${isGraph ? '' : t.theWorstFirst}`;
}

function ViewSwitch({ isGraph, onChange }: { readonly isGraph: boolean; readonly onChange: (isGraph: boolean) => void }) {
  return (
    <fieldset className="flex gap-1">
      <legend className="sr-only">{t.showTheObjectsAs}</legend>
      <Button look={isGraph ? 'ghost' : 'secondary'} aria-pressed={!isGraph} onClick={() => onChange(false)}>
        <List size={13} aria-hidden /> {t.list}
      </Button>
      <Button look={isGraph ? 'secondary' : 'ghost'} aria-pressed={isGraph} onClick={() => onChange(true)}>
        <Workflow size={13} aria-hidden /> {t.graph}
      </Button>
    </fieldset>
  );
}

interface PartProps {
  readonly place: TreePlace;
  readonly view: TreeView;
  readonly change: Change;
}

interface LinesProps extends PartProps {
  readonly location: TreeLocation | null;
  readonly showsAll: boolean;
  readonly onClicked: (line: TreeLine) => void;
}

function Lines({ place, view: { query }, change, location, showsAll, onClicked }: LinesProps) {
  const pick = (line: TreeLine, isLook: boolean) => {
    onClicked(line);
    change({ object: line.id, isLook });
  };
  const toggle = (line: TreeLine) => change({ query: { ...query, closed: toggleMark(query.closed ?? [], markOf(line.id)) } });
  return (
    <LiveView
      query={treeQueries.page(place, query)}
      awaits={t.readingTheObjects}
      pending={<SkeletonRows columns={3} />}
      empty={
        isNarrowed(query) ? (
          <NoMatch title={t.noObjectMatches} onClear={() => change({ query: {} })}>
            {t.takeAFilterAwayTo}
          </NoMatch>
        ) : (
          <Empty title={t.noObjectsYet}>{t.theyAppearHereAsThe}</Empty>
        )
      }
    >
      {({ total }) => (
        <>
          <TreeList {...{ place, query, total, location, showsAll }} onPick={pick} onToggle={toggle} />
          {isNarrowed(query) ? (
            <p className="border-t bg-sunken px-4 py-1.5 text-ink-3 text-xs">
              {t.objectsAfter(total)} {total === 1 ? t.matches : t.match}.
            </p>
          ) : null}
        </>
      )}
    </LiveView>
  );
}

function Graph({ place, view, change, pickedNow }: PartProps & { readonly pickedNow: () => string | null }) {
  const pick = (node: GraphNode, isLook: boolean) => {
    if (node.type !== 'group' || !isLook) return change({ object: node.id, isLook: isLook && node.type !== 'group' });
    change({ object: node.id, open: toggleMark(view.open, markOf(node.id)) });
  };
  return (
    <LiveView query={treeQueries.graph(place, view.open)} awaits={t.readingTheGraph} pending={<SkeletonRows columns={3} />}>
      {({ rows, total }) => (
        <>
          <LazyPart part={graphView} pending={<SkeletonRows rows={8} columns={3} />}>
            {(GraphView) => (
              <GraphView
                label={t.graphOfArrowKeysWalk(place.name)}
                nodes={rows}
                picked={view.object}
                query={view.query}
                pickedNow={pickedNow}
                onPick={pick}
                onRegroup={view.open.length === 0 ? null : () => change({ open: [] })}
              />
            )}
          </LazyPart>
          {total > rows.length ? (
            <p className="border-t bg-sunken px-4 py-1.5 text-ink-3 text-xs">{t.theFirstOfNodesAre(rows.length, total)}</p>
          ) : null}
        </>
      )}
    </LiveView>
  );
}

interface Picked {
  readonly location: TreeLocation | null;
  readonly node: TreeNode | null;
}

const NOBODY = '';

/**
 * The picked object: what the list knows of it, or else the graph, which knows revisions and trackers too. The line that was clicked stands in until the
 * server tells where it stands, which it does not while it is away.
 */
function usePicked(place: TreePlace, { object, query, isGraph, open }: TreeView, clicked: TreeNode | null): Picked {
  const location =
    useLiveWindow({ ...treeQueries.location(place, object ?? NOBODY, query), enabled: object !== null }).data?.rows[0] ?? null;
  const graph = useLiveWindow({ ...treeQueries.graph(place, open), enabled: isGraph }).data;
  if (object === null) return { location: null, node: null };
  const drawn = isGraph ? graph?.rows.find(({ id }) => id === object) : undefined;
  const own = location?.key === object ? location : null;
  const shown = clicked?.id === object ? clicked : null;
  return { location: own, node: own?.node ?? (drawn === undefined ? shown : toTreeNode(drawn)) };
}

function toTreeNode({
  edges: _edges,
  marks: _marks,
  counts: _counts,
  count: _count,
  under: _under,
  note: _note,
  type: _type,
  key: _key,
  ...node
}: GraphNode): TreeNode {
  return { ...node, parent: null, origin: 'recorded', component: null };
}
