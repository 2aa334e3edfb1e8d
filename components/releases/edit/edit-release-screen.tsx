'use client';

import { useQuery } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { useAway } from '@/components/live/staleness';
import { useLiveWindow } from '@/components/live/use-live-topic';
import { usePlanned } from '@/components/live/use-planned-change';
import { Button } from '@/components/ui/button';
import { Refusal } from '@/components/ui/data/error-panel';
import { QueryView } from '@/components/ui/data/query-view';
import { Skeleton } from '@/components/ui/data/skeleton';
import { EditorHelp } from '@/components/ui/editor/editor-help';
import type { Schema } from '@/components/ui/editor/editor-schema';
import { schemaShape } from '@/components/ui/editor/editor-schema';
import { LazyEditorField } from '@/components/ui/editor/lazy-editor-field';
import { LeaveLink } from '@/components/ui/editor/leave-link';
import { PlanPanel } from '@/components/ui/editor/plan-panel';
import { useLeaveWarning } from '@/components/ui/editor/use-leave-warning';
import { TextField } from '@/components/ui/form/field';
import { listBreadcrumbs } from '@/components/ui/object-head';
import { showToast } from '@/components/ui/overlay/toast';
import { PageHead } from '@/components/ui/page-head';
import { Panel } from '@/components/ui/panel';
import type { EditableRelease } from '@/lib/contract/release-edit';
import { releasePlan } from '@/lib/contract/release-edit';
import { t } from '@/lib/words/catalogue/releases/edit';
import type { ReleasePlace } from '../release-queries';
import { releasePath, releaseQueries } from '../release-queries';
import { ReleasePlanView } from './release-plan-view';
import { ValueFields } from './value-fields';
import { fieldsOf } from './values-text';

const CHART_WORD = { version: 'Chart version', ref: t.branchOfTheChart } as const;
const HINT = 'values-hint';

const pageOf = ({ ns, kind, name }: ReleasePlace) => `/releases/${ns}/${kind}/${name}`;

/** The values of a release, and the version of its chart: edit them, see what that would do object by object, then apply exactly that. */
export function EditReleaseScreen({ place }: { readonly place: ReleasePlace }) {
  const editable = useQuery(releaseQueries.editable(place));
  const [start, setStart] = useState<EditableRelease | null>(null);
  // What was opened stays what is edited, whatever is read later.
  if (start === null && editable.data !== undefined) setStart(editable.data);
  if (start !== null) return <Editor key={`${start.uid} ${start.generation}`} place={place} start={start} onRead={setStart} />;
  return (
    <>
      <EditHead place={place} />
      <Panel>
        <QueryView query={editable} awaits={t.readingTheValuesOf(place.name)} pending={<Skeleton height="h-[50dvh]" className="m-3" />}>
          {() => null}
        </QueryView>
      </Panel>
    </>
  );
}

function EditHead({ place, actions }: { readonly place: ReleasePlace; readonly actions?: React.ReactNode }) {
  const { ns, name } = place;
  return (
    <PageHead
      breadcrumbs={[...listBreadcrumbs(t.releases, '/releases', ns), { label: name, href: pageOf(place) }]}
      title={t.edit(name)}
      note={<span className="text-ink-3">{t.aPreviewShowsWhatIt}</span>}
      actions={actions}
    />
  );
}

interface EditorProps {
  readonly place: ReleasePlace;
  readonly start: EditableRelease;
  /** Begins again on what was read since. */
  readonly onRead: (start: EditableRelease) => void;
}

function Editor({ place, start, onRead }: EditorProps) {
  const [text, setText] = useState(start.values);
  const [chart, setChart] = useState(start.chart?.value ?? '');
  const router = useRouter();
  const release = useLiveWindow(releaseQueries.detail(place)).data?.rows[0];
  const rights = useQuery(releaseQueries.rights(place)).data;
  const isDirty = text !== start.values || chart !== (start.chart?.value ?? '');
  const { plan, failure, next, pending } = usePlanned(
    {
      url: `${releasePath(place)}/edit`,
      schema: releasePlan,
      onAccepted: () => {
        showToast(t.theChangeOfIsWritten(place.name));
        router.push(pageOf(place));
      },
    },
    {
      kind: place.kind,
      uid: start.uid,
      generation: start.generation,
      values: text,
      ...(chart !== '' && chart !== start.chart?.value ? { chart } : {}),
    },
  );
  useLeaveWarning(isDirty);
  const isOther = release !== undefined && (release.uid !== start.uid || release.generation > start.generation);
  const blocked = useAway() ?? (isOther ? t.itWasChangedSinceYou : (rights?.edit ?? (isDirty ? null : t.nothingIsChangedYet)));
  const act = plan === null ? t.preview : t.applyAsPreviewed;
  return (
    <div className="space-y-4">
      <EditHead
        place={place}
        actions={
          <>
            <LeaveLink href={pageOf(place)} isDirty={isDirty} />
            <Button size="md" look="primary" blocked={blocked} pending={pending} onClick={next}>
              {act}
            </Button>
          </>
        }
      />
      {isOther ? <ChangedElsewhere place={place} start={start} onRead={onRead} /> : null}
      {release?.hold ? <Note>{t.holdsTheReleaseTheChange(release.hold.by)}</Note> : null}
      {failure === null ? null : <Refusal sentence={failure.message} />}
      <ValuesEditor start={start} chart={chart} onChart={setChart} text={text} onText={setText} />
      <PlanPanel title={t.whatWillChange} plan={plan}>
        {(shown) => <ReleasePlanView plan={shown} />}
      </PlanPanel>
    </div>
  );
}

interface ValuesEditorProps {
  readonly start: EditableRelease;
  readonly chart: string;
  readonly onChart: (chart: string) => void;
  readonly text: string;
  readonly onText: (text: string) => void;
}

function ValuesEditor({ start, chart, onChart, text, onText }: ValuesEditorProps) {
  const [cursor, setCursor] = useState({ line: 0, column: 0 });
  const [schema] = useState(() => readSchema(start.schema));
  const fields = fieldsOf(schema);
  return (
    <div className="grid grid-cols-1 items-start gap-4 xl:grid-cols-[minmax(0,1fr)_340px]">
      <div className="space-y-4">
        {start.chart === null && fields.length === 0 ? null : (
          <Panel title={t.chartAndValues}>
            {start.chart === null ? null : (
              <div className="px-4 pt-3">
                <TextField label={CHART_WORD[start.chart.field]} value={chart} onChange={({ target }) => onChart(target.value)} />
              </div>
            )}
            {fields.length === 0 ? <div className="pb-3" /> : <ValueFields fields={fields} text={text} onText={onText} />}
          </Panel>
        )}
        <Panel title={t.values} note={text === start.values ? t.unchangedFromTheCluster : t.changedNotApplied}>
          <LazyEditorField
            label={t.values}
            text={text}
            schema={schema}
            describedBy={HINT}
            onText={onText}
            onCursor={(line, column) => setCursor({ line, column })}
            goTo={null}
          />
          <p id={HINT} className="border-t px-4 py-1.5 text-ink-3 text-xs">
            {t.tabIndentsEscapeThenTab(helpOf(start, schema))}
          </p>
        </Panel>
      </div>
      <EditorHelp schema={schema} text={text} line={cursor.line} column={cursor.column} />
    </div>
  );
}

/** What the chart says of its values, or why that is not here: a mistake in the schema is for whoever keeps the chart. */
function helpOf({ schema: written, schemaLacks }: EditableRelease, schema: Schema | undefined): string {
  if (schemaLacks !== null) return t.noHelpWithTheValues(schemaLacks);
  if (schema !== undefined) return t.ctrlSpaceOffersWhatThe;
  return written === null ? t.theChartSaysNothingOf : t.noHelpWithTheValuesValues;
}

/** Older drafts call their definitions otherwise; a schema in a form that is not known is no help. */
function readSchema(written: EditableRelease['schema']): Schema | undefined {
  if (written === null) return undefined;
  const parsed = schemaShape.safeParse({ ...written, $defs: written.$defs ?? written.definitions });
  return parsed.success ? parsed.data : undefined;
}

function ChangedElsewhere({ place, start, onRead }: EditorProps) {
  const again = useQuery({ ...releaseQueries.editable(place), enabled: false });
  const read = async () => {
    const { data } = await again.refetch();
    if (data !== undefined && data.generation !== start.generation) onRead(data);
  };
  return (
    <div className="flex flex-wrap items-center gap-3 rounded-lg bg-warn-soft px-4 py-2.5 text-warn">
      <span>{t.someoneChangedTheReleaseAfter}</span>
      <Button size="sm" pending={again.isFetching ? t.reading : null} onClick={() => void read()}>
        {t.discardAndReadAgain}
      </Button>
    </div>
  );
}

function Note({ children }: { readonly children: React.ReactNode }) {
  return <p className="rounded-lg bg-warn-soft px-4 py-2.5 text-warn">{children}</p>;
}
