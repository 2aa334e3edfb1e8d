'use client';

import { ArrowRight } from 'lucide-react';
import { useRouter } from 'next/navigation';
import type { FormEvent } from 'react';
import { useState } from 'react';
import { refusalIn, useRights } from '@/components/live/rights';
import { readTheirChange, TheirChangeView } from '@/components/live/their-change';
import { useLiveWindow } from '@/components/live/use-live-topic';
import { usePreviewed } from '@/components/live/use-previewed';
import { Button } from '@/components/ui/button';
import { Refusal } from '@/components/ui/data/error-panel';
import { PlanSummary } from '@/components/ui/data/plan-summary';
import { TextField } from '@/components/ui/form/field';
import { Panel } from '@/components/ui/panel';
import { applicationRights } from '@/lib/contract/application-rights';
import type { ApplicationDetail, ComponentView } from '@/lib/contract/application-rows';
import { t } from '@/lib/words/catalogue/console/inbox';
import { inboxQueries } from './inbox-queries';
import { nextImage, pickApplication, rolledOutComponent } from './next-image';

/** Leads through a first rollout on the demonstration: one change of an image, then the page where it can be followed and decided. */
export function StartRollout() {
  const applications = useLiveWindow(inboxQueries.candidates());
  const picked = applications.data ? pickApplication(applications.data.rows) : undefined;
  return picked ? <StartOn ns={picked.ns} name={picked.name} /> : null;
}

function StartOn({ ns, name }: { readonly ns: string; readonly name: string }) {
  const application = useLiveWindow(inboxQueries.application(ns, name)).data?.rows[0];
  const component = application ? rolledOutComponent(application) : undefined;
  // Before a first revision is complete there is nothing to roll out from.
  const rests = application?.activity === 'idle' && application.revisions.some((revision) => revision.state === 'current');
  if (!application || !component || !rests) return null;
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
  const { plan, next, pending, failure } = usePreviewed(`/api/v1/namespaces/${ns}/applications/${name}/change`, wanted, () => {
    router.push(rollout ? `/rollouts/${rollout.ns}/${rollout.name}` : `/rollouts/${ns}/${name}`);
  });
  const refusal = refusalIn(useRights({ kind: 'application', ns, name }, applicationRights), 'change');
  const theirs = readTheirChange(failure);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (refusal === null) next();
  };
  return (
    <Panel title={t.startARollout} note={t.onTheSimulatedCluster}>
      <div className="grid gap-6 px-4 py-4 lg:grid-cols-2">
        <form onSubmit={submit} className="space-y-3">
          <TextField
            label={t.newImageOfIn(component.name, name)}
            hint={t.runsNow(component.image)}
            value={image}
            spellCheck={false}
            onChange={(event) => setTyped(event.target.value)}
          />
          {plan === null ? null : <PlanSummary preview={plan} />}
          {failure ? <Refusal sentence={failure.message} /> : null}
          {theirs ? <TheirChangeView theirs={theirs} /> : null}
          <Button
            type="submit"
            look="primary"
            size="md"
            pending={pending}
            blocked={refusal ?? (image.trim() === component.image || image.trim() === '' ? t.enterAnImageOtherThan : null)}
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
