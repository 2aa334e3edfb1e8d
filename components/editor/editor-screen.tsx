'use client';

import { useMutation, useQuery } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { useEffect, useId, useRef, useState } from 'react';
import { applicationBreadcrumbs, belowApplication } from '@/components/applications/application-breadcrumbs';
import { applicationQueries } from '@/components/applications/application-queries';
import { useApplicationRefusal, useMissingCreate } from '@/components/live/application-rights';
import { RequestError } from '@/components/live/request';
import { useAway } from '@/components/live/staleness';
import { useCommand } from '@/components/live/use-command';
import { useLiveWindow } from '@/components/live/use-live-topic';
import { useKindSchemas } from '@/components/objects/edit/use-kind-schemas';
import { Button } from '@/components/ui/button';
import { ErrorPanel, Refusal, titleOfError } from '@/components/ui/data/error-panel';
import { QueryView } from '@/components/ui/data/query-view';
import { Skeleton } from '@/components/ui/data/skeleton';
import { draftKey } from '@/components/ui/editor/draft-store';
import { EditorHelp } from '@/components/ui/editor/editor-help';
import type { Schema } from '@/components/ui/editor/editor-schema';
import { LazyEditorField } from '@/components/ui/editor/lazy-editor-field';
import { LeaveLink } from '@/components/ui/editor/leave-link';
import { useLeaveWarning } from '@/components/ui/editor/use-leave-warning';
import { showToast } from '@/components/ui/overlay/toast';
import { PageHead } from '@/components/ui/page-head';
import { Panel } from '@/components/ui/panel';
import type { ApplicationDetail } from '@/lib/contract/application-rows';
import type { WrittenApplication, WrittenProblem } from '@/lib/contract/change-rows';
import type { ApplyRequest } from '@/lib/contract/requests';
import { KINDS } from '@/lib/kube/kinds';
import { t } from '@/lib/words/catalogue/delivery/editor';
import { applicationOfText } from './application-of-text';
import { DraftNotice } from './draft-notice';
import { EditorConflict } from './editor-conflict';
import { EditorPreview } from './editor-preview';
import { EditorProblems } from './editor-problems';
import { editorQueries, readSavePreview } from './editor-queries';
import { useSettled } from './editor-settled';
import { TEMPLATES } from './templates';
import { TextSource } from './text-source';
import { useDraft } from './use-draft';

const SETTLE_MS = 350;
/** What its definition says of an application is less than our own schema does. */
const OWN_KIND = `${KINDS.application.apiVersion} ${KINDS.application.kind}`;
const NONE: readonly WrittenProblem[] = [];
/** What a text is written on: a state of an application, or nothing yet. */
interface Base {
  readonly text: string;
  readonly seen: NonNullable<ApplyRequest['seen']>;
}

const NEW: Base = { text: TEMPLATES[0].text, seen: 'absent' };

/** A new application, from a template that rolls out in stages. */
export function NewApplicationScreen({ user }: { readonly user: string }) {
  const missing = useMissingCreate();
  const [isRefused] = useState(missing !== null);
  // What is missing is said first; a text that is being written stays, whatever right goes meanwhile.
  if (!isRefused || missing === null)
    return <Editor user={user} title={t.newApplication} at={null} start={NEW} now={null} lacked={missing?.sentence ?? null} />;
  return (
    <>
      <PageHead breadcrumbs={applicationBreadcrumbs()} title={t.newApplication} />
      <Panel>
        <ErrorPanel title={titleOfError('forbidden')} {...missing} />
      </Panel>
    </>
  );
}

/** An application as text: write it with help, see what it would do object by object, then apply exactly that text. */
export function EditorScreen({ ns, name, user }: { readonly ns: string; readonly name: string; readonly user: string }) {
  const written = useQuery(editorQueries.text(ns, name));
  const now = useLiveWindow(applicationQueries.detail(ns, name)).data?.rows[0] ?? null;
  const [start, setStart] = useState<WrittenApplication | null>(null);
  // What was opened stays what is edited, whatever is read later.
  if (start === null && written.data !== undefined) setStart(written.data);
  if (start !== null && !start.masked)
    return <Editor user={user} title={t.edit(name)} at={{ ns, name }} start={toBase(start)} now={now} lacked={null} />;
  return (
    <>
      <PageHead breadcrumbs={belowApplication(ns, name)} title={t.edit(name)} />
      <Panel>
        <QueryView
          query={written}
          awaits={t.readingUnchangedFromTheCluster(name)}
          pending={<Skeleton height="h-[50dvh]" className="m-3" />}
        >
          {() => (
            <div className="p-3">
              <Refusal sentence={t.thisApplicationHoldsValuesOf} />
            </div>
          )}
        </QueryView>
      </Panel>
    </>
  );
}

const toBase = ({ text, uid, generation }: WrittenApplication): Base => ({ text, seen: { uid, generation } });

interface Where {
  readonly ns: string;
  readonly name: string;
}

interface EditorProps {
  /** Whose draft it is. */
  readonly user: string;
  readonly title: string;
  readonly at: Where | null;
  readonly start: Base;
  /** The application as it is now, where that is known. */
  readonly now: Pick<ApplicationDetail, 'uid' | 'generation'> | null;
  /** Why nothing that is written here could be applied anywhere. */
  readonly lacked: string | null;
}

function Editor({ user, title, at, start, now, lacked }: EditorProps) {
  const [base, setBase] = useState(start);
  const [text, setText] = useState(start.text);
  const [cursor, setCursor] = useState({ line: 0, column: 0 });
  const [goTo, setGoTo] = useState<{ readonly line: number; readonly column: number; readonly asked: number } | null>(null);
  const hintId = useId();
  const router = useRouter();
  const result = useRef<HTMLHeadingElement>(null);
  const settled = useSettled(text, SETTLE_MS);
  const schema = useSchemaOf(settled);
  const right = useRightToApply(at, settled);
  const checked = useQuery({ ...editorQueries.problems(settled), placeholderData: (held: readonly WrittenProblem[] | undefined) => held });
  const problems = checked.data;
  const dryRun = useMutation({
    mutationFn: async (manifest: string) => ({ manifest, preview: await readSavePreview({ manifest, seen: base.seen }) }),
    retry: false,
  });
  const draft = useDraft({
    key: draftKey(user, at),
    base,
    text,
    onRestore: (kept) => {
      setBase(kept.base);
      setText(kept.text);
    },
  });
  const apply = useCommand<ApplyRequest>('/api/v1/applications', (accepted) => {
    draft.drop();
    showToast(t.isAppliedFollowTheChange(accepted.name));
    router.push(`/applications/${accepted.ns}/${accepted.name}`);
  });
  const shown = dryRun.data?.manifest === text ? dryRun.data.preview : null;
  const conflict = isOther(now, base) || isConflict(dryRun.error, at) || isConflict(apply.failure, at);
  const refusal = conflict ? null : (apply.refusal ?? dryRun.error?.message ?? null);
  const isDirty = text !== base.text;
  useLeaveWarning(isDirty && !apply.isPending, draft.isKept);
  useEffect(() => {
    if (dryRun.data !== undefined) result.current?.focus();
  }, [dryRun.data]);
  const rebase = (theirs: WrittenApplication) => {
    dryRun.reset();
    apply.reset();
    setBase(toBase(theirs));
  };
  const blocked = useAway() ?? lacked ?? right ?? notTriedReason(conflict, problems ?? NONE);
  return (
    <div className="space-y-4">
      <EditorHead
        isDirty={isDirty}
        onLeave={draft.drop}
        title={title}
        at={at}
        blocked={blocked}
        tried={shown !== null}
        pending={dryRun.isPending ? 'trying' : apply.isPending ? 'applying' : null}
        onDryRun={() => dryRun.mutate(text)}
        onApply={() => apply.send({ manifest: text, seen: base.seen, ...(shown ? { plan: shown.plan } : {}) })}
      />
      {conflict && at ? (
        <EditorConflict
          {...at}
          base={base.text}
          onKeep={rebase}
          onTake={(theirs) => {
            rebase(theirs);
            setText(theirs.text);
          }}
        />
      ) : null}
      {refusal ? <Refusal sentence={refusal} /> : null}
      <DraftNotice
        {...draft}
        onDiscard={() => {
          draft.drop();
          setBase(start);
          setText(start.text);
        }}
      />
      <div className="grid grid-cols-1 items-start gap-4 xl:grid-cols-[minmax(0,1fr)_340px]">
        <Panel title={t.manifest} note={isDirty ? t.changedNotApplied : noteOf(base)}>
          <TextSource offersTemplates={at === null} onText={setText}>
            <LazyEditorField
              label={t.manifest}
              text={text}
              schema={schema}
              problems={problems ?? NONE}
              describedBy={hintId}
              onText={setText}
              onCursor={(line, column) => setCursor({ line, column })}
              goTo={goTo}
            />
          </TextSource>
          <p id={hintId} className="border-t px-4 py-1.5 text-ink-3 text-xs">
            {t.ctrlSpaceCompletesTabIndents}
          </p>
          <EditorProblems
            problems={problems}
            failure={checked.error?.message ?? null}
            onGo={({ line, column }) => setGoTo((held) => ({ line, column, asked: (held?.asked ?? 0) + 1 }))}
          />
        </Panel>
        <EditorHelp schema={schema} text={text} line={cursor.line} column={cursor.column} />
      </div>
      {shown ? <EditorPreview base={base.seen === 'absent' ? '' : base.text} text={text} preview={shown} headingRef={result} /> : null}
    </div>
  );
}

/** The schema of applications, and of the kinds of objects in them. */
function useSchemaOf(text: string): Schema | undefined {
  const schema = useQuery(editorQueries.schema()).data;
  const kinds = useKindSchemas(text, OWN_KIND);
  return schema && { ...schema, kinds: { ...kinds, [OWN_KIND]: schema } };
}

/** Why the person may not apply a text: to the application it was opened on, or in the namespace a new one names. */
function useRightToApply(at: Where | null, text: string): string | null {
  return useApplicationRefusal(at ?? applicationOfText(text), at === null ? 'create' : 'change');
}

function notTriedReason(conflict: boolean, problems: readonly WrittenProblem[]): string | null {
  if (conflict) return t.reviewTheOtherChangeFirst;
  return problems.length > 0 ? t.theTextHasProblemsListed : null;
}

const noteOf = ({ seen }: Base): string => (seen === 'absent' ? t.aTemplateNotApplied : t.unchangedFromTheCluster);

/** True once the application is another than the text was written on. A copy that lags behind what was read is no other one. */
function isOther(now: EditorProps['now'], { seen }: Base): boolean {
  return seen !== 'absent' && now !== null && (now.generation > seen.generation || now.uid !== seen.uid);
}

function isConflict(error: unknown, at: Where | null): boolean {
  return at !== null && error instanceof RequestError && error.code === 'conflict';
}

interface EditorHeadProps {
  readonly title: string;
  readonly at: Where | null;
  readonly isDirty: boolean;
  /** Called when what was written is thrown away. */
  readonly onLeave: () => void;
  readonly blocked: string | null;
  /** True once this very text went through a dry run. */
  readonly tried: boolean;
  readonly pending: 'trying' | 'applying' | null;
  readonly onDryRun: () => void;
  readonly onApply: () => void;
}

function EditorHead({ title, at, isDirty, onLeave, blocked, tried, pending, onDryRun, onApply }: EditorHeadProps) {
  return (
    <PageHead
      breadcrumbs={at === null ? applicationBreadcrumbs() : belowApplication(at.ns, at.name)}
      title={title}
      note={<span className="text-ink-3">{t.aPreviewShowsWhat}</span>}
      actions={
        <>
          <LeaveLink
            href={at === null ? '/applications' : `/applications/${at.ns}/${at.name}`}
            isDirty={isDirty}
            onLeave={onLeave}
            className="max-sm:-ml-3"
          />
          <Button size="md" blocked={blocked} onClick={onDryRun} pending={pending === 'trying' ? t.tryingEveryObject : null}>
            {t.preview}
          </Button>
          <Button
            size="md"
            look="primary"
            blocked={blocked ?? (tried ? null : t.previewThisTextFirst)}
            pending={pending === 'applying' ? t.applying : null}
            onClick={onApply}
          >
            {t.apply}
          </Button>
        </>
      }
    />
  );
}
