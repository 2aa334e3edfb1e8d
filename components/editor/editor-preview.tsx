'use client';

import { TriangleAlert } from 'lucide-react';
import type { Ref } from 'react';
import { useState } from 'react';
import type { ChangeQuery } from '@/components/ui/data/change-panel';
import { ChangePanel } from '@/components/ui/data/change-panel';
import { DiffView } from '@/components/ui/data/diff-view';
import { sentenceOf } from '@/components/ui/data/plan-summary';
import { Panel } from '@/components/ui/panel';
import { Sentence } from '@/components/ui/time/sentence';
import { rich } from '@/components/ui/words/rich';
import type { ChangeVerdict, SavePreview } from '@/lib/contract/change-rows';
import { pageChanges } from '@/lib/contract/change-rows';
import { diffHunks } from '@/lib/std/line-diff';
import { t } from '@/lib/words/catalogue/delivery/editor';

const VERDICTS: readonly ChangeVerdict[] = ['refused', 'deleted', 'held', 'changed', 'new', 'handed-over', 'kept'];

export interface EditorPreviewProps {
  readonly base: string;
  readonly text: string;
  readonly preview: SavePreview;
  readonly headingRef: Ref<HTMLHeadingElement>;
}

/** What applying a text does: its own difference, then every object of the application with its verdict. */
export function EditorPreview({ base, text, preview, headingRef }: EditorPreviewProps) {
  const [query, setQuery] = useState<ChangeQuery>({});
  const page = pageChanges(preview.changes, query);
  const lines = diffHunks(base, text);
  const verdicts = preview.counts.unknown ? [...VERDICTS, 'unknown' as const] : VERDICTS;
  return (
    <section aria-labelledby="dry-run" className="space-y-4">
      <div>
        <h2 id="dry-run" ref={headingRef} tabIndex={-1} className="font-semibold text-lg outline-none">
          {t.whatWillChange}
        </h2>
        <p role="status" className="mt-0.5 text-ink-2">
          {sentenceOf(preview)}
        </p>
      </div>
      {preview.suspended ? (
        <Warning>
          <Sentence text={preview.suspended} />
        </Warning>
      ) : null}
      {preview.ungranted ? (
        <Warning>
          <strong className="font-semibold">{t.nothingIsWrittenYet}</strong> {preview.ungranted}
        </Warning>
      ) : null}
      {preview.withheld ? <Warning>{preview.withheld}</Warning> : null}
      {preview.looser ? <Warning>{preview.looser}</Warning> : null}
      {preview.unmeetable ? <Warning>{preview.unmeetable}</Warning> : null}
      {preview.selfApproval ? <Warning>{preview.selfApproval}</Warning> : null}
      {preview.refused ? (
        <Warning>
          <strong className="font-semibold">{t.deletionsAreHeldUntilSomeone}</strong> <Sentence text={preview.refused} />
        </Warning>
      ) : null}
      {preview.counts.refused ? (
        <Warning>{rich(t.asLongAsItRefuses(<strong className="font-semibold">{t.theClusterWouldRefuseSome}</strong>))}</Warning>
      ) : null}
      {base === '' || lines.length === 0 ? null : (
        <Panel title={t.yourChanges}>
          <div className="p-3">
            <DiffView lines={lines} label={t.yourChanges} />
          </div>
        </Panel>
      )}
      <ChangePanel
        title={t.objectByObject}
        verdicts={verdicts}
        counted={preview}
        query={query}
        onQuery={setQuery}
        rows={page.rows}
        total={page.total}
      />
    </section>
  );
}

function Warning({ children }: { readonly children: React.ReactNode }) {
  return (
    <p className="flex items-start gap-2 rounded-lg bg-warn-soft px-4 py-2.5 text-warn">
      <TriangleAlert size={15} aria-hidden className="mt-[2.5px] shrink-0" />
      <span>{children}</span>
    </p>
  );
}
