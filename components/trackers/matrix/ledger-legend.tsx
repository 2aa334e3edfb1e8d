import { rich } from '@/components/ui/words/rich';
import { LEDGER_STATES } from '@/lib/contract/lists/ledger-query';
import { t } from '@/lib/words/catalogue/delivery/ledger';
import { LedgerGlyph } from './ledger-glyph';

/** What each shape of the ledger means. */
export function LedgerLegend() {
  return (
    <ul
      aria-label={t.statesOfTheLedger}
      className="grid gap-x-6 gap-y-1 border-t bg-sunken px-4 py-2.5 text-2xs text-ink-3 sm:grid-cols-2 xl:grid-cols-3"
    >
      {LEDGER_STATES.map((state) => (
        <li key={state} className="flex items-start gap-1.5">
          <LedgerGlyph state={state} />
          <span>{rich(t.meaning(<span className="font-medium text-ink-2">{t.words[state]}</span>, t.says[state]))}</span>
        </li>
      ))}
    </ul>
  );
}
