'use client';

import { Elapsed } from '@/components/live/ago';
import { LiveView } from '@/components/live/live-view';
import { useStatus } from '@/components/live/staleness';
import { Badge } from '@/components/ui/badge';
import { Empty } from '@/components/ui/data/empty';
import { SkeletonRows } from '@/components/ui/data/skeleton';
import { PageHead } from '@/components/ui/page-head';
import { Panel } from '@/components/ui/panel';
import { rich } from '@/components/ui/words/rich';
import type { EngineRow } from '@/lib/contract/system-rows';
import { t } from '@/lib/words/catalogue/console/engine';
import { CallsPanel } from './calls-panel';
import { ChartsPanel } from './charts-panel';
import { ControllersPanel } from './controllers-panel';
import { engineQueries } from './engine-queries';
import { EnginesPanel } from './engines-panel';
import { EventLoopNote } from './event-loop-note';
import { FindingsPanel } from './findings-panel';
import { LeadershipPanel } from './leadership-panel';
import { PausedPanel } from './paused-panel';
import { PollsPanel } from './polls-panel';
import { StatusRulesPanel } from './status-rules-panel';
import { WatchesPanel } from './watches-panel';

/** How the engine itself is: what it watches and how fresh that is, what its controllers have to do. */
export function EngineScreen() {
  return (
    <LiveView
      isPage
      query={engineQueries.engine()}
      head={<PageHead title={t.engine} />}
      awaits={t.loadingTheStateOfThe}
      pending={
        <Panel>
          <SkeletonRows columns={4} />
        </Panel>
      }
      empty={
        <Panel>
          <Empty title={t.noEngineIsRunning}>{t.thisServerOnlyDisplaysThe}</Empty>
        </Panel>
      }
    >
      {(window) => (
        <div className="space-y-8">
          {window.rows.map((engine) => (
            <EngineView key={engine.key} engine={engine} />
          ))}
        </div>
      )}
    </LiveView>
  );
}

function EngineView({ engine }: { readonly engine: EngineRow }) {
  const engines = useStatus()?.engines ?? {};
  return (
    <div className="space-y-4">
      <PageHead
        title={
          <>
            {t.engine}
            <RoleBadge engine={engine} />
          </>
        }
        note={
          <span className="flex flex-wrap gap-x-4">
            <span className="text-ink-3">{rich(t.runningFor(<Elapsed from={engine.startedAt} />))}</span>
            {engine.eventLoop == null ? null : <EventLoopNote eventLoop={engine.eventLoop} />}
          </span>
        }
      />
      <EnginesPanel engines={engines} findings={engine.findings} />
      <FindingsPanel findings={engine.findings} />
      {engine.leadership ? <LeadershipPanel leadership={engine.leadership} /> : null}
      <PausedPanel controllers={engine.controllers} />
      <ControllersPanel controllers={engine.controllers} />
      {engine.charts !== null &&
      engine.charts.mirrors.length + engine.charts.dryRuns + engine.charts.dryRunsSkipped + engine.charts.acts + engine.charts.failures >
        0 ? (
        <ChartsPanel charts={engine.charts} />
      ) : null}
      {engine.calls ? <CallsPanel calls={engine.calls} /> : null}
      {engine.polls.length > 0 ? <PollsPanel polls={engine.polls} /> : null}
      <WatchesPanel watches={engine.watches} />
      {engine.statusRules ? <StatusRulesPanel rules={engine.statusRules} /> : null}
    </div>
  );
}

/** A replica that does not lead may still act on shards of its own. */
function RoleBadge({ engine: { leader, leadership } }: { readonly engine: EngineRow }) {
  if (leader) return <Badge tone="good">{t.leader}</Badge>;
  const mine = leadership?.shards.filter((shard) => shard.mine).length ?? 0;
  return mine === 0 ? (
    <Badge tone="idle">{t.standby}</Badge>
  ) : (
    <Badge tone="good">{t.actsOn(mine === 1 ? t.aShard : t.shards(mine))}</Badge>
  );
}
