import { CircleCheck, CircleMinus, CirclePause, Eye } from 'lucide-react';
import type { ComponentType } from 'react';
import { REFUSED } from '@/components/live/engine-words';
import { asSentence } from '@/components/ui/as-sentence';
import { cx } from '@/components/ui/cx';
import { Panel } from '@/components/ui/panel';
import { Sentence } from '@/components/ui/time/sentence';
import type { Finding } from '@/lib/contract/finding';
import type { EngineMode } from '@/lib/contract/system-rows';
import { t } from '@/lib/words/catalogue/console/engine';

type Mode = EngineMode['mode'];

const LOOK: Readonly<
  Record<Mode, { readonly word: string; readonly look: string; readonly icon: ComponentType<{ size: number; 'aria-hidden': true }> }>
> = {
  drive: { word: t.active, look: 'text-good', icon: CircleCheck },
  observe: { word: t.observingOnly, look: 'text-warn', icon: Eye },
  stopped: { word: t.stopped, look: 'text-bad', icon: CirclePause },
  off: { word: t.notConfigured, look: 'text-ink-3', icon: CircleMinus },
};

const NAME: Readonly<Record<string, string>> = { application: t.applications, rollout: t.rollouts, chartsync: t.helmReleases };

interface Props {
  readonly engines: Readonly<Record<string, EngineMode>>;
  readonly findings: readonly Finding[];
}

/** How each engine stands, and what that keeps from being done. Why is told here only where no finding tells it, with the command that fixes it. */
export function EnginesPanel({ engines, findings }: Props) {
  const rows = Object.entries(engines);
  if (rows.length === 0) return null;
  return (
    <Panel title={t.engines}>
      <ul aria-label={t.engines} className="divide-y divide-line">
        {rows.map(([name, { mode, why }]) => (
          <li key={name} className="grid gap-x-6 gap-y-1 px-4 py-2 sm:grid-cols-[10rem_10rem_minmax(0,1fr)]">
            <span className="flex items-baseline justify-between gap-3 sm:contents">
              <span className="font-medium">{NAME[name] ?? name}</span>
              <ModeMark mode={mode} />
            </span>
            <Meaning name={name} engine={{ mode, why }} isFound={findings.some(({ sentence }) => sentence === why)} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

interface MeaningProps {
  readonly name: string;
  readonly engine: EngineMode;
  readonly isFound: boolean;
}

function Meaning({ name, engine: { mode, why }, isFound }: MeaningProps) {
  const refused = mode === 'observe' || mode === 'stopped' ? REFUSED[name] : undefined;
  const sentences = [why === null || isFound ? '' : asSentence(why), refused ?? ''].filter((sentence) => sentence !== '');
  return sentences.length === 0 ? null : (
    <span className="min-w-0 break-words text-ink-2">
      <Sentence text={sentences.join(' ')} />
    </span>
  );
}

function ModeMark({ mode }: { readonly mode: Mode }) {
  const { word, look, icon: Icon } = LOOK[mode];
  return (
    <span className={cx('inline-flex items-center gap-1.5 whitespace-nowrap', look)}>
      <Icon size={13} aria-hidden /> {word}
    </span>
  );
}
