import { ArrowRight } from 'lucide-react';
import { Sentence } from '@/components/ui/time/sentence';
import { t } from '@/lib/words/catalogue/console/ui';

/** What a click does, sentence by sentence, before it is made. */
export function Consequences({ sentences }: { readonly sentences: readonly string[] }) {
  return (
    <section aria-label={t.whatHappens}>
      <h3 className="mb-1.5 font-medium text-ink-3 text-xs">{t.whatHappens}</h3>
      <ul className="space-y-1.5">
        {sentences.map((sentence) => (
          <li key={sentence} className="flex gap-2">
            <ArrowRight size={14} aria-hidden className="mt-[3px] shrink-0 text-ink-3" />
            <span className="min-w-0 wrap-anywhere">
              <Sentence text={sentence} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
