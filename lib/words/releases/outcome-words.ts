import { t as ui } from '@/lib/words/catalogue/console/ui';
import { t } from '@/lib/words/catalogue/releases/releases';

/** What came of an act is called as the state that it leaves, where it leaves one of that name. */
const OUTCOMES: Readonly<Record<string, string>> = {
  installed: t.installed,
  upgraded: t.upgraded,
  'rolled-back': ui.rolledBack,
  remediated: ui.rolledBack,
  equal: t.equal,
  unmoved: t.nothingMoved,
  'put-back': t.putBack,
  held: ui.held,
  gated: ui.waiting,
  waits: ui.waiting,
  'plan-moved': ui.planMoved,
  dropped: t.dropped,
  uninstalled: t.uninstalled,
  left: t.leftAsItIs,
  failed: ui.failed,
};

/** What came of an act, as marks and tables call it. */
export function outcomeWord(outcome: string): string {
  return OUTCOMES[outcome] ?? outcome;
}
