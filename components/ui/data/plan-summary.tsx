import { cx } from '@/components/ui/cx';
import { TONE_TEXT } from '@/components/ui/status/tone';
import type { WarningProps } from '@/components/ui/status/warning';
import { WarningLine } from '@/components/ui/status/warning';
import type { ChangeVerdict, SavePreview } from '@/lib/contract/change-rows';
import { CHANGE_VERDICTS } from '@/lib/contract/change-rows';
import { t } from '@/lib/words/catalogue/console/ui';
import { ChangeList, VERDICT_STYLE } from './change-list';

const SHOWN = 50;
/** What stays as it is fills no dialog. */
const QUIET: readonly ChangeVerdict[] = ['kept', 'handed-over', 'gone'];

/** How many objects each verdict has. */
export function VerdictCounts({ counts }: Pick<SavePreview, 'counts'>) {
  const found = CHANGE_VERDICTS.filter((verdict) => (counts[verdict] ?? 0) > 0);
  return (
    <ul aria-label={t.objectsByVerdict} className="flex flex-wrap gap-x-4 gap-y-1">
      {found.map((verdict) => {
        const { word, tone, icon: Icon } = VERDICT_STYLE[verdict];
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

/**
 * What a change does, in a dialog: the sum of it, and every object that does not stay as it is. It stands there before that is known, with nothing in it:
 * of a live region that comes with its words a screen reader says none.
 */
export function PlanSummary({ preview }: { readonly preview: SavePreview | null }) {
  return (
    <section {...(preview === null ? { className: 'contents' } : { className: 'space-y-2', 'aria-label': t.whatItDoes })}>
      <p role="status" className="text-ink-2 empty:absolute">
        {preview === null ? null : sentenceOf(preview)}
      </p>
      {preview === null ? null : <Plan preview={preview} />}
    </section>
  );
}

function Plan({ preview }: { readonly preview: SavePreview }) {
  const moving = preview.changes.filter(({ verdict }) => !QUIET.includes(verdict));
  return (
    <>
      {warningsOf(preview).map((warning) => (
        <WarningLine key={warning.text} {...warning} />
      ))}
      <VerdictCounts counts={preview.counts} />
      {moving.length > 0 ? (
        <div className="max-h-72 overflow-y-auto rounded-md border">
          <ChangeList label={t.changedObjects} rows={moving.slice(0, SHOWN)} />
        </div>
      ) : null}
      {moving.length > SHOWN ? <p className="text-ink-3 text-xs">{t.moreAreNotShownHere(moving.length - SHOWN)}</p> : null}
    </>
  );
}

/** What whoever is about to make the change must know, in the order of what stops it first. */
export function warningsOf(preview: SavePreview): readonly WarningProps[] {
  const { suspended, ungranted, withheld, looser, unmeetable, selfApproval, refused } = preview;
  return [
    { text: suspended },
    { text: ungranted, lead: t.nothingIsWrittenYet },
    ...[withheld, looser, unmeetable, selfApproval, refused].map((text) => ({ text })),
  ].flatMap(({ text, ...lead }) => (text ? [{ text, ...lead }] : []));
}

/** The sum of it, in a sentence. */
export function sentenceOf({
  revision,
  counts,
  changes,
  refused = null,
}: Pick<SavePreview, 'revision' | 'counts' | 'changes'> & { readonly refused?: string | null }): string {
  if (changes.length === 0 && refused !== null) return t.nothingWillBeChanged;
  const moved = changes.filter(({ verdict }) => verdict !== 'kept' && verdict !== 'handed-over' && verdict !== 'gone').length;
  const objects = t.ofOf(moved, changes.length);
  if (!revision.isNew)
    return moved === 0 ? t.nothingChangesIsTheSame(revision.name) : t.noNewRevisionFromThe(objects, moved === 1 ? t.differs : t.differ);
  const lost = counts.deleted ? t.ofThemDeletedInThe(counts.deleted, counts.deleted === 1 ? t.is : t.are) : '';
  return t.revisionIsMade({ name: revision.name, objects, part: moved === 1 ? t.changes : t.change, lost });
}
