'use client';

import { ArrowRight } from 'lucide-react';
import { useRouter } from 'next/navigation';
import type { FormEvent, ReactNode } from 'react';
import { useState } from 'react';
import { refusalIn, useRights } from '@/components/live/rights';
import { useAway } from '@/components/live/staleness';
import { useLiveWindow } from '@/components/live/use-live-topic';
import { usePlannedChange } from '@/components/live/use-planned-change';
import { Button, ignoreHeldEnter } from '@/components/ui/button';
import { TextField } from '@/components/ui/form/field';
import { lazyOnDemand, useLazyModule } from '@/components/ui/overlay/lazy/lazy-module';
import { LazyPart } from '@/components/ui/overlay/lazy/lazy-part';
import { Panel } from '@/components/ui/panel';
import { applicationRights } from '@/lib/contract/application-rights';
import type { ApplicationDetail, ComponentView } from '@/lib/contract/application-rows';
import type { RolloutRow } from '@/lib/contract/rollout-rows';
import { t } from '@/lib/words/catalogue/console/inbox';
import { nextImage, rolledOutComponent } from './next-image';
import { StartPending } from './start-pending';
import { MAX_CANDIDATES, startQueries } from './start-queries';

// It is about an answer of the server, which takes longer to come than this does.
const startAnswer = lazyOnDemand(async () => (await import('./start-answer')).StartAnswer);

/** Leads through a first rollout on the demonstration: one change of an image, then the page where it can be followed and decided. */
export function StartRollout() {
  const { data, error } = useLiveWindow(startQueries.story());
  if (data === undefined && error === null) return <StartPending />;
  return <StartOnFirst of={atRest(data?.rows)} otherwise={<StartOnResting page={0} />} />;
}

/** On one of those that are at rest, from a page of them on. */
function StartOnResting({ page }: { readonly page: number }) {
  const { data, error } = useLiveWindow(startQueries.resting(page));
  if (data === undefined) return error === null ? <StartPending /> : null;
  const hasMore = (page + 1) * MAX_CANDIDATES < data.total;
  return <StartOnFirst of={atRest(data.rows)} otherwise={hasMore ? <StartOnResting key={page + 1} page={page + 1} /> : null} />;
}

const atRest = (rows: readonly RolloutRow[] = []) => rows.filter(({ activity }) => activity === 'idle');

interface StartOnFirstProps {
  readonly of: readonly RolloutRow[];
  /** What is shown where none of them is suited. */
  readonly otherwise: ReactNode;
}

/** On the first of them that has something to roll out from. A rollout is called like its application. */
function StartOnFirst({ of: [first, ...others], otherwise }: StartOnFirstProps) {
  return first === undefined ? (
    otherwise
  ) : (
    <StartOn key={first.key} ns={first.ns} name={first.name} others={others} otherwise={otherwise} />
  );
}

interface StartOnProps extends Pick<RolloutRow, 'ns' | 'name'> {
  /** Those to look at where this one is not suited. */
  readonly others: readonly RolloutRow[];
  readonly otherwise: ReactNode;
}

function StartOn({ ns, name, others, otherwise }: StartOnProps) {
  const read = useLiveWindow(startQueries.application(ns, name));
  const application = read.data?.rows[0];
  if (read.data === undefined && read.error === null) return <StartPending />;
  const component = application ? rolledOutComponent(application) : undefined;
  // Before a first revision is complete there is nothing to roll out from.
  const rests = application?.activity === 'idle' && application.revisions.some((revision) => revision.state === 'current');
  if (!application || !component || !rests) return <StartOnFirst of={others} otherwise={otherwise} />;
  return <StartForm application={application} component={component} />;
}

function StartForm({
  application,
  component,
}: {
  readonly application: ApplicationDetail;
  readonly component: ComponentView & { readonly image: string };
}) {
  const { ns, name, uid, generation, rollout } = application;
  const [typed, setTyped] = useState<string | null>(null);
  const router = useRouter();
  const image = typed ?? nextImage(component.image);
  const wanted = { component: component.name, image: image.trim(), uid, generation };
  const isOther = image.trim() !== component.image && image.trim() !== '';
  const { plan, next, pending, failure } = usePlannedChange(`/api/v1/namespaces/${ns}/applications/${name}/change`, wanted, () => {
    router.push(rollout ? `/rollouts/${rollout.ns}/${rollout.name}` : `/rollouts/${ns}/${name}`);
  });
  const right = refusalIn(useRights({ kind: 'application', ns, name }, applicationRights), 'change');
  const refusal = useAway() ?? right;
  // What it does is seen before it is started, also where the part that shows it takes its time.
  const isUnseen = useLazyModule(startAnswer) === undefined && plan !== null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (refusal === null && !isUnseen) next();
  };
  return (
    <Panel title={t.startARollout} note={t.onTheSimulatedCluster}>
      <div className="grid gap-6 px-4 py-4 lg:grid-cols-2">
        <form onSubmit={submit} onKeyDown={ignoreHeldEnter} className="space-y-3">
          <TextField
            label={t.newImageOfIn(component.name, name)}
            hint={t.runsNow(component.image)}
            value={image}
            spellCheck={false}
            onChange={(event) => setTyped(event.target.value)}
          />
          {plan === null && failure === null ? null : (
            <LazyPart part={startAnswer} pending={null}>
              {(StartAnswer) => <StartAnswer plan={plan} failure={failure} />}
            </LazyPart>
          )}
          <Button
            type="submit"
            look="primary"
            size="md"
            pending={pending}
            blocked={refusal ?? (isUnseen ? t.waitUntilThePreviewIs : isOther ? null : t.enterAnImageOtherThan)}
          >
            {plan === null ? t.seeWhatItDoes : t.startTheRollout} <ArrowRight size={14} aria-hidden />
          </Button>
        </form>
        <ol className="list-decimal space-y-1 pl-5 text-ink-2 marker:text-ink-3">
          <li>{t.youFirstPreviewTheChange}</li>
          <li>{t.aNewRevisionIsCreated}</li>
          <li>{t.stageByStageItTakes}</li>
          <li>{t.atAGateItWaits}</li>
          <li>{t.youCanPauseItOr}</li>
        </ol>
      </div>
    </Panel>
  );
}
