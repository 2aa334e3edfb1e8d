import { asSentence } from '@/components/ui/as-sentence';
import { Button } from '@/components/ui/button';
import { Empty } from '@/components/ui/data/empty';
import { t } from '@/lib/words/catalogue/console/filters';

/** In the place of a list whose address has a label selector that cannot be read: why, and the way on. */
export function RefusedSelector({ why, onClear }: { readonly why: string; readonly onClear: () => void }) {
  return (
    <Empty title={t.theSelectorCannotBeRead} action={<Button onClick={onClear}>{t.clear}</Button>}>
      {asSentence(why)}
    </Empty>
  );
}
