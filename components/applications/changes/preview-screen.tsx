'use client';

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { CheckCheck } from 'lucide-react';
import Link from 'next/link';
import { useState } from 'react';
import { useChangeUrl } from '@/components/live/address/change-url';
import { useApplicationRefusal } from '@/components/live/application-rights';
import { ObjectPage } from '@/components/live/live-view';
import type { Staleness } from '@/components/live/staleness';
import { refusalWhileStale } from '@/components/live/staleness';
import { Button, buttonVariants } from '@/components/ui/button';
import { ChangePanel } from '@/components/ui/data/change-panel';
import { Empty } from '@/components/ui/data/empty';
import { QueryView } from '@/components/ui/data/query-view';
import { SkeletonPanels } from '@/components/ui/data/skeleton';
import { PageHead } from '@/components/ui/page-head';
import { Panel } from '@/components/ui/panel';
import { Warning } from '@/components/ui/status/warning';
import { rich } from '@/components/ui/words/rich';
import type { ApplicationDetail } from '@/lib/contract/application-rows';
import type { ChangeVerdict, WaitingPage } from '@/lib/contract/change-rows';
import { t } from '@/lib/words/catalogue/delivery/changes';
import { belowApplication } from '../application-breadcrumbs';
import { applicationQueries } from '../application-queries';
import { DeletedApplication } from '../deleted-application';
import { changeQueries } from './change-queries';
import { heldCollection } from './held-decision';
import { HeldDialog } from './held-dialog';

const TITLE = t.pendingDeletions;
const VERDICTS: readonly ChangeVerdict[] = ['deleted', 'held', 'new', 'handed-over', 'kept', 'gone'];

/** What waits to be collected of one application, on a page of its own that can be sent to whoever has to decide. */
export function PreviewScreen({ ns, name }: { readonly ns: string; readonly name: string }) {
  return (
    <ObjectPage
      query={applicationQueries.detail(ns, name)}
      head={<PageHead breadcrumbs={belowApplication(ns, name)} title={TITLE} />}
      awaits={t.readingTheApplicationIn(name, ns)}
      shape={[[8, 3]]}
      missing={<DeletedApplication ns={ns} name={name} />}
    >
      {(application, staleness) => <PreviewView application={application} staleness={staleness} />}
    </ObjectPage>
  );
}

/** Whatever of an application moves its plan; its messages may change meanwhile. */
function stateOf({ generation, activity, deleting, trackers, revisions }: ApplicationDetail): string {
  return [generation, activity, deleting, trackers.join(), revisions.map(({ name, state }) => `${name} ${state}`).join()].join('|');
}

function PreviewView({ application, staleness }: { readonly application: ApplicationDetail; readonly staleness: Staleness | null }) {
  const { ns, name, rollout } = application;
  const { query, change } = useChangeUrl();
  const [deciding, setDeciding] = useState<WaitingPage | null>(null);
  const blocked = useApplicationRefusal(application, 'decide') ?? refusalWhileStale(staleness);
  const waiting = useQuery({ ...changeQueries.waiting(ns, name, query, stateOf(application)), placeholderData: keepPreviousData });
  const plan = waiting.data;
  const isHeld = heldCollection(application) !== null && plan !== undefined && plan.digest !== '';
  return (
    <>
      <PageHead
        breadcrumbs={belowApplication(ns, name)}
        title={TITLE}
        note={<span className="text-ink-3">{noteOf(application, plan)}</span>}
        actions={
          <>
            {rollout ? (
              <Link href={`/rollouts/${rollout.ns}/${rollout.name}`} className={buttonVariants({ look: 'secondary', size: 'md' })}>
                {t.openTheRollout}
              </Link>
            ) : null}
            <Button size="md" onClick={() => void waiting.refetch()} pending={waiting.isFetching ? t.computing : null}>
              {t.computeAgain}
            </Button>
            {isHeld ? (
              <Button size="md" look="warning" blocked={blocked} onClick={() => setDeciding(plan)}>
                <CheckCheck size={14} aria-hidden /> {t.deleteExactlyThese}
              </Button>
            ) : null}
          </>
        }
      />
      <QueryView
        query={waiting}
        isPage
        awaits={t.computingWhatWouldBeDeleted}
        pending={<SkeletonPanels shape={[[8, 3]]} />}
        isEmpty={(page) => page.from.length === 0}
        empty={
          <Panel>
            <Empty title={t.nothingToDelete}>{t.noOlderRevisionHasAnything}</Empty>
          </Panel>
        }
      >
        {(page) => (
          <div className="space-y-4">
            {page.refused ? <Warning role="status" lead={t.thisPlanWillNotBe} text={page.refused} /> : null}
            <ChangePanel verdicts={VERDICTS} counted={page} query={query} onQuery={change} page={page} />
            <p className="text-ink-3 text-xs">{rich(t.digestOfThisPlanA(<span className="break-all font-mono">{page.digest}</span>))}</p>
          </div>
        )}
      </QueryView>
      {deciding ? (
        <HeldDialog application={application} plan={deciding} reading={waiting} blocked={blocked} onClose={() => setDeciding(null)} />
      ) : null}
    </>
  );
}

/** When it is done, in a sentence. */
function noteOf(application: ApplicationDetail, plan: WaitingPage | undefined): string {
  const { activity, deleting, rollout } = application;
  const held = heldCollection(application);
  if (held !== null) return held;
  if (deleting) return t.theApplicationIsBeingDeleted;
  if (plan === undefined || plan.from.length === 0) return t.exactlyThisPlanIsCarried;
  if (rollout !== null && activity !== 'idle') return t.thisPlanIsCarriedOut(plan.from.join(', '), plan.to ?? t.nothing);
  return t.collectingReplacedByExactlyThis(plan.from.join(', '), plan.to ?? t.nothing);
}
