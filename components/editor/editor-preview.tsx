'use client';

import type { Ref } from 'react';
import { useState } from 'react';
import type { ChangeQuery } from '@/components/ui/data/change-panel';
import { ChangePanel } from '@/components/ui/data/change-panel';
import { DiffView } from '@/components/ui/data/diff-view';
import { sentenceOf, warningsOf } from '@/components/ui/data/plan-summary';
import { Panel } from '@/components/ui/panel';
import { Warning } from '@/components/ui/status/warning';
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
      {warningsOf(preview).map((warning) => (
        <Warning key={warning.text} {...warning} />
      ))}
      {preview.counts.refused ? <Warning lead={t.theClusterWouldRefuseSome} text={t.asLongAsItRefuses} /> : null}
      {base === '' || lines.length === 0 ? null : (
        <Panel title={t.yourChanges}>
          <div className="p-3">
            <DiffView lines={lines} label={t.yourChanges} />
          </div>
        </Panel>
      )}
      <ChangePanel verdicts={verdicts} counted={preview} query={query} onQuery={setQuery} page={page} />
    </section>
  );
}
