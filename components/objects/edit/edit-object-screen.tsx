'use client';

import { useQuery } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { useId, useState } from 'react';
import { useStaleness } from '@/components/live/staleness';
import { usePlanned } from '@/components/live/use-planned-change';
import { Button } from '@/components/ui/button';
import { Refusal } from '@/components/ui/data/error-panel';
import { QueryView } from '@/components/ui/data/query-view';
import { Skeleton } from '@/components/ui/data/skeleton';
import { LazyEditorField } from '@/components/ui/editor/lazy-editor-field';
import { LeaveLink } from '@/components/ui/editor/leave-link';
import { PlanPanel } from '@/components/ui/editor/plan-panel';
import { useLeaveWarning } from '@/components/ui/editor/use-leave-warning';
import { ReasonField } from '@/components/ui/form/reason-field';
import { showToast } from '@/components/ui/overlay/toast';
import { PageHead } from '@/components/ui/page-head';
import { Panel } from '@/components/ui/panel';
import type { EditableObject } from '@/lib/contract/acts/object-edit';
import { objectEditPreview } from '@/lib/contract/acts/object-edit';
import { reasonOf } from '@/lib/contract/acts/reason-of';
import type { ObjectPage } from '@/lib/contract/object-address';
import { objectPageHref } from '@/lib/contract/object-address';
import type { ObjectDetail } from '@/lib/contract/object-rows';
import { t } from '@/lib/words/catalogue/objects/edit';
import { objectBreadcrumbs, typeOf } from '../acts/object-names';
import { objectQueries } from '../object-queries';
import { EditPreview } from './edit-preview';
import { useKindSchemas } from './use-kind-schemas';

/** Any object as text: edit it, see what the cluster would make of it, then write exactly that. */
export function EditObjectScreen({ at }: { readonly at: ObjectPage }) {
  const object = useQuery(objectQueries.object(at));
  const text = useQuery(objectQueries.text(object.data && typeOf(object.data)));
  const [start, setStart] = useState<EditableObject | null>(null);
  // What was opened stays what is edited, whatever is read later.
  if (start === null && text.data !== undefined) setStart(text.data);
  if (start !== null && object.data !== undefined)
    return (
      <Editor
        key={start.state}
        at={at}
        view={object.data}
        start={start}
        onReopen={() => text.refetch().then(({ data }) => data && setStart(data))}
      />
    );
  return (
    <>
      <EditHead at={at} view={object.data} />
      <Panel>
        <QueryView query={object} awaits={t.readingOf(at.name)} pending={<Skeleton height="h-[50dvh]" className="m-3" />}>
          {() => (
            <QueryView query={text} awaits={t.readingTheTextOf(at.name)} pending={<Skeleton height="h-[50dvh]" className="m-3" />}>
              {() => null}
            </QueryView>
          )}
        </QueryView>
      </Panel>
    </>
  );
}

function EditHead({
  at,
  view,
  actions,
}: {
  readonly at: ObjectPage;
  readonly view: ObjectDetail | undefined;
  readonly actions?: React.ReactNode;
}) {
  return (
    <PageHead
      breadcrumbs={[...objectBreadcrumbs(at, view), { label: at.name, href: objectPageHref(at) }]}
      title={t.editOf(view?.of.kind ?? '', at.name)}
      note={<span className="text-ink-3">{t.thePreviewIsADryRun}</span>}
      actions={actions}
    />
  );
}

interface EditorProps {
  readonly at: ObjectPage;
  readonly view: ObjectDetail;
  readonly start: EditableObject;
  readonly onReopen: () => void;
}

function Editor({ at, view, start, onReopen }: EditorProps) {
  const [text, setText] = useState(start.text);
  const [reason, setReason] = useState('');
  const hintId = useId();
  const type = typeOf(view);
  const schema = useKindSchemas(start.text)[`${type.apiVersion} ${type.kind}`];
  const router = useRouter();
  const staleness = useStaleness(undefined);
  const { plan, failure, next, pending } = usePlanned(
    {
      url: '/api/v1/objects/edit',
      schema: objectEditPreview,
      onAccepted: () => {
        showToast(t.isWritten(at.name));
        router.push(objectPageHref(at));
      },
    },
    { ...type, manifest: text, seen: { uid: start.uid, state: start.state }, ...reasonOf(reason) },
  );
  const isDirty = text !== start.text;
  useLeaveWarning(isDirty);
  const away = staleness === null ? null : t.actsWait(staleness.reason);
  const unchanged = plan !== null && plan.lines.length === 0 ? t.nothingWouldChange : null;
  const blocked = away ?? view.acts.edit ?? (isDirty ? unchanged : t.nothingIsChangedYet);
  return (
    <div className="space-y-4">
      <EditHead
        at={at}
        view={view}
        actions={
          <>
            <LeaveLink href={objectPageHref(at)} isDirty={isDirty} />
            <Button size="md" look="primary" blocked={blocked} pending={pending} onClick={next}>
              {plan === null ? t.preview : t.applyAsPreviewed}
            </Button>
          </>
        }
      />
      {failure === null ? null : (
        <div className="space-y-2">
          <Refusal sentence={failure.message} />
          <Button onClick={onReopen}>{t.openItAgain}</Button>
        </div>
      )}
      <Panel title={t.yaml} note={isDirty ? t.changedNotApplied : t.unchangedFromTheCluster}>
        {start.masked ? <p className="border-b px-4 py-2 text-ink-3 text-xs">{t.maskedValuesDoNotLeave}</p> : null}
        <LazyEditorField
          label={t.yamlOf(at.name)}
          text={text}
          schema={schema}
          describedBy={hintId}
          onText={setText}
          onCursor={() => undefined}
          goTo={null}
        />
        <p id={hintId} className="border-t px-4 py-1.5 text-ink-3 text-xs">
          {schema === undefined ? t.tabIndents : t.completesAndIndents}
        </p>
      </Panel>
      <PlanPanel title={t.whatWillChange} plan={plan}>
        {(shown) => <EditPreview preview={shown} name={at.name} />}
      </PlanPanel>
      <Panel>
        <div className="px-4 py-3">
          <ReasonField neededFor={undefined} value={reason} onChange={setReason} />
        </div>
      </Panel>
    </div>
  );
}
