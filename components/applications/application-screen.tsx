'use client';

import { Pencil } from 'lucide-react';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { DriftPanel } from '@/components/drift/drift-panel';
import { useApplicationRefusal } from '@/components/live/application-rights';
import { ConditionsPanel } from '@/components/live/condition-list';
import { ObjectPage } from '@/components/live/live-view';
import type { Staleness } from '@/components/live/staleness';
import { refusalWhileStale } from '@/components/live/staleness';
import { EventsPanel } from '@/components/objects/events-panel';
import { PodsPanel } from '@/components/objects/pods/pods-panel';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { cx } from '@/components/ui/cx';
import { ObjectHead } from '@/components/ui/object-head';
import { Panel } from '@/components/ui/panel';
import type { ApplicationDetail, ComponentView } from '@/lib/contract/application-rows';
import { t } from '@/lib/words/catalogue/delivery/applications';
import { applicationBreadcrumbs } from './application-breadcrumbs';
import { ApplicationHead } from './application-head';
import { PoliciesPanel } from './application-panels';
import { applicationQueries } from './application-queries';
import { ChangeDialog } from './change-dialog';
import { heldCollection } from './changes/held-decision';
import { HeldPanel } from './changes/held-panel';
import { MovedPanel } from './changes/moved-panel';
import { movedChange } from './changes/moved-rows';
import { DeletedApplication } from './deleted-application';
import { ObjectsPanel } from './objects-panel';
import { RevisionsPanel } from './revisions-panel';

const APPLICATION = { group: 'core.oam.dev', named: 'Application' } as const;

/** One application: how it is, what it consists of, and what can be changed about it. */
export function ApplicationScreen({ ns, name }: { readonly ns: string; readonly name: string }) {
  return (
    <ObjectPage
      query={applicationQueries.detail(ns, name)}
      head={<ObjectHead breadcrumbs={applicationBreadcrumbs(ns)} name={name} />}
      awaits={t.readingTheApplicationIn(name, ns)}
      shape={[
        [2, 4],
        [8, 2],
      ]}
      missing={<DeletedApplication ns={ns} name={name} />}
    >
      {(application, staleness) => <ApplicationView application={application} staleness={staleness} />}
    </ObjectPage>
  );
}

function ApplicationView({ application, staleness }: { readonly application: ApplicationDetail; readonly staleness: Staleness | null }) {
  const [changed, setChanged] = useState<ComponentView | null>(null);
  const right = useApplicationRefusal(application, 'change');
  const refusal = application.deleting ? t.theApplicationIsBeingDeleted : right;
  const blocked = refusal ?? refusalWhileStale(staleness);
  const at = { ...APPLICATION, ns: application.ns, name: application.name };
  return (
    <div className="space-y-4">
      <ApplicationHead application={application} refusal={refusal} staleness={staleness} />
      {movedChange(application) !== null ? <MovedPanel application={application} staleness={staleness} /> : null}
      {heldCollection(application) !== null ? <HeldPanel application={application} staleness={staleness} /> : null}
      <ComponentsPanel application={application} blocked={blocked} onChange={setChanged} />
      <DriftPanel application={application} staleness={staleness} />
      {/* However long the list of objects is, the events beside it are as high. */}
      <div className="group/objects grid grid-cols-1 gap-4 xl:not-has-data-graph:grid-cols-[minmax(0,1fr)_400px]">
        <ObjectsPanel application={application} />
        <div className="relative min-w-0 xl:min-h-90 xl:group-has-data-graph/objects:min-h-64">
          <EventsPanel at={at} kind="Application" fills />
        </div>
      </div>
      <RevisionsPanel application={application} />
      <PoliciesPanel policies={application.policies} />
      <ConditionsPanel conditions={application.conditions} />
      <PodsPanel at={at} isExpected={false} tellsFailure changed={application.objects} />
      {changed ? <ChangeDialog application={application} component={changed} refusal={blocked} onClose={() => setChanged(null)} /> : null}
    </div>
  );
}

interface ComponentsPanelProps {
  readonly application: ApplicationDetail;
  readonly blocked: string | null;
  readonly onChange: (component: ComponentView) => void;
}

function ComponentsPanel({ application, blocked, onChange }: ComponentsPanelProps) {
  return (
    <Panel title={t.components} note={application.components.length}>
      <ul className="divide-y">
        {application.components.map((component) => (
          <li
            key={component.name}
            className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-6 gap-y-1.5 px-4 py-2 sm:grid-cols-[minmax(0,2fr)_minmax(0,3fr)_5rem_6rem]"
          >
            <div className="min-w-0">
              <p className="flex flex-wrap items-center gap-x-2 font-medium wrap-anywhere">
                <span className="min-w-0">{component.name}</span>
                {component.rolledOut ? <Badge tone="busy">{t.rolledOutInStages}</Badge> : null}
              </p>
              <p className="text-ink-3 text-xs">
                {component.type}
                {component.traits.length > 0 ? `, ${component.traits.join(', ')}` : ''}
              </p>
            </div>
            <Figure name={t.image} className="col-span-2 sm:col-span-1">
              {component.image ? <span className="break-all">{component.image}</span> : '–'}
            </Figure>
            <Figure name={t.replicas} className="col-span-2 sm:col-span-1">
              {component.replicas ?? '–'}
            </Figure>
            {component.image !== null || component.replicas !== null ? (
              <Button
                className="col-start-2 row-start-1 justify-self-end print:hidden sm:col-start-auto sm:row-start-auto"
                blocked={blocked}
                onClick={() => onChange(component)}
              >
                <Pencil size={12} aria-hidden /> {t.change}
                <span className="sr-only"> {component.name}</span>
              </Button>
            ) : null}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Figure({ name, className, children }: { readonly name: string; readonly className: string; readonly children: ReactNode }) {
  return (
    <div className={cx('min-w-0', className)}>
      <p className="text-2xs text-ink-3">{name}</p>
      <p>{children}</p>
    </div>
  );
}
