import { Panel } from '@/components/ui/panel';
import type { ControllerView } from '@/lib/contract/system-rows';
import { t } from '@/lib/words/catalogue/console/engine';
import { KeyLink } from './key-link';

/** Objects whose passes an annotation holds, whatever the rest of the screen says of them. Nothing at all when there are none. */
export function PausedPanel({ controllers }: { readonly controllers: readonly ControllerView[] }) {
  const holding = controllers.filter(({ pausedCount }) => pausedCount > 0);
  if (holding.length === 0) return null;
  return (
    <Panel title={t.pausedByAnAnnotation} note={t.notReconciledUntilTheAnnotation}>
      <ul aria-label={t.pausedObjects} className="space-y-1 px-4 py-2.5">
        {holding.map(({ name, paused, pausedCount }) => (
          <li key={name}>
            <span className="text-ink-3">{name}:</span>
            <ul className="ml-4 space-y-0.5">
              {paused.map((held) => (
                <li key={held.key}>
                  <KeyLink to={held} /> <span className="break-all text-ink-3 text-xs">{t.by(held.annotation)}</span>
                </li>
              ))}
              {pausedCount > paused.length ? <li className="text-ink-3">{t.andMore(pausedCount - paused.length)}</li> : null}
            </ul>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
