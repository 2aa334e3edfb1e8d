import { cx } from '@/components/ui/cx';
import { ChangeList, VERDICT_LOOK } from '@/components/ui/data/change-list';
import { TONE_TEXT } from '@/components/ui/status/tone';
import type { ChangeVerdict, SavePreview } from '@/lib/contract/change-rows';
import { CHANGE_VERDICTS } from '@/lib/contract/change-rows';
import { sentenceOf } from './editor-preview';

const SHOWN = 50;
/** What stays as it is fills no dialog. */
const QUIET: readonly ChangeVerdict[] = ['kept', 'handed-over', 'gone'];

/** How many objects each verdict has. */
export function VerdictCounts({ counts }: Pick<SavePreview, 'counts'>) {
  const found = CHANGE_VERDICTS.filter((verdict) => (counts[verdict] ?? 0) > 0);
  return (
    <ul aria-label="Objects by verdict" className="flex flex-wrap gap-x-4 gap-y-1">
      {found.map((verdict) => {
        const { word, tone, icon: Icon } = VERDICT_LOOK[verdict];
        return (
          <li key={verdict} className={cx('inline-flex items-center gap-1.5 font-medium', TONE_TEXT[tone])}>
            <Icon size={13} aria-hidden />
            {counts[verdict]} {word.toLowerCase()}
          </li>
        );
      })}
    </ul>
  );
}

/** What a change does, in a dialog: the sum of it, and every object that does not stay as it is. */
export function PlanSummary({ preview }: { readonly preview: SavePreview }) {
  const moving = preview.changes.filter(({ verdict }) => !QUIET.includes(verdict));
  return (
    <section aria-label="What it does" className="space-y-2">
      <p role="status" className="text-ink-2">
        {sentenceOf(preview)}
      </p>
      {preview.refused ? <p className="rounded-md bg-warn-soft px-3 py-2 text-warn">{preview.refused}</p> : null}
      <VerdictCounts counts={preview.counts} />
      {moving.length > 0 ? (
        <div className="max-h-72 overflow-y-auto rounded-md border">
          <ChangeList label="Objects that do not stay as they are" rows={moving.slice(0, SHOWN)} />
        </div>
      ) : null}
      {moving.length > SHOWN ? <p className="text-ink-3 text-xs">{moving.length - SHOWN} more are not shown here; the editor shows all of them.</p> : null}
    </section>
  );
}
