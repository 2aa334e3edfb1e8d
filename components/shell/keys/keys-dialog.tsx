'use client';

import { Fragment } from 'react';
import { Kbd } from '@/components/ui/kbd';
import { Dialog } from '@/components/ui/overlay/dialog';
import { t } from '@/lib/words/catalogue/console/views';
import { NAVIGATION_ITEMS } from '../navigation-items';

interface Shortcut {
  readonly does: string;
  /** Keys one after the other; those of one step do the same. */
  readonly keys: readonly (readonly string[])[];
}

const EVERYWHERE: readonly Shortcut[] = [
  { does: t.searchAndCommands, keys: [['⌘K', t.ctrlK]] },
  { does: t.searchOnThisPage, keys: [['/']] },
  { does: t.addOrRemoveFavourite, keys: [['F']] },
  { does: t.showTheKeys, keys: [['?']] },
  { does: t.closeWhatIsOpen, keys: [['Esc']] },
];
const LISTS: readonly Shortcut[] = [
  { does: t.nextRow, keys: [['J']] },
  { does: t.previousRow, keys: [['K']] },
  { does: t.openTheRow, keys: [['Enter']] },
  { does: t.selectTheRow, keys: [['Space']] },
];

/** The keys that do something, by where they do. */
export function KeysDialog({ onClose }: { readonly onClose: () => void }) {
  const pages = NAVIGATION_ITEMS.map(({ label, key }) => ({ does: label, keys: [['G'], [key.toUpperCase()]] }));
  return (
    <Dialog open wide onOpenChange={(open) => (open ? undefined : onClose())} title={t.keyboardShortcuts}>
      <div className="grid gap-x-8 gap-y-5 sm:grid-cols-2">
        <div className="space-y-5">
          <Keys title={t.everywhere} shortcuts={EVERYWHERE} />
          <Keys title={t.listsAndTables} shortcuts={LISTS} />
        </div>
        <Keys title={t.pages} shortcuts={pages} />
      </div>
    </Dialog>
  );
}

function Keys({ title, shortcuts }: { readonly title: string; readonly shortcuts: readonly Shortcut[] }) {
  return (
    <section aria-label={title}>
      <h3 className="mb-1 font-medium text-ink-3 text-xs">{title}</h3>
      <dl className="divide-y">
        {shortcuts.map(({ does, keys }) => (
          <div key={does} className="flex min-h-8 items-center gap-4 py-1">
            <dt className="min-w-0 flex-1">{does}</dt>
            <dd className="flex shrink-0 items-center gap-1 text-ink-3 text-xs">
              {keys.map((step, at) => (
                <Fragment key={step.join()}>
                  {at > 0 ? t.thenKey : null}
                  {step.map((key, nth) => (
                    <Fragment key={key}>
                      {nth > 0 ? t.or : null} <Kbd>{key}</Kbd>
                    </Fragment>
                  ))}
                </Fragment>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
