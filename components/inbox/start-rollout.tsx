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

function StartForm({ application, component }: { readonly application: ApplicationDetail; readonly component: ComponentView & { readonly image: string } }) {
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
    <Panel title="Start a rollout" note="on the simulated cluster">
      <div className="grid gap-6 px-4 py-4 lg:grid-cols-2">
        <form onSubmit={submit} className="space-y-3">
          <TextField
            label={`New image of ${component.name} in ${name}`}
            hint={`Runs ${component.image} now.`}
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
            blocked={refusal ?? (image.trim() === component.image || image.trim() === '' ? 'Enter an image other than the running one.' : null)}
          >
            {plan === null ? 'See what it does' : 'Start the rollout'} <ArrowRight size={14} aria-hidden />
          </Button>
        </form>
        <ol className="list-decimal space-y-1 pl-5 text-ink-2 marker:text-ink-3">
          <li>You first preview the change, object by object. Exactly that is done, or nothing.</li>
          <li>A new revision is created with no replicas.</li>
          <li>Stage by stage it takes over replicas and traffic from the running one.</li>
          <li>At a gate it waits for approval. You see the next stage and what will be deleted first.</li>
          <li>You can pause it, or abort and return, at any time.</li>
        </ol>
      </div>
    </Panel>
  );
}
