'use client';

import { ChevronRight } from 'lucide-react';
import { Badge } from '@/components/ui/badge';
import { ScrollRegion } from '@/components/ui/scroll-region';
import type { Tone } from '@/components/ui/status/tone';
import { Sentence } from '@/components/ui/time/sentence';
import type { LogSource } from '@/lib/contract/log-stream';
import { t } from '@/lib/words/catalogue/objects/logs';
import { formatList, formatNumber } from '@/lib/words/figures';
import { SOURCE_WORDS } from './source-words';

const TONES: Readonly<Record<LogSource['state'], Tone>> = {
  opening: 'busy',
  reading: 'good',
  waiting: 'warn',
  ended: 'idle',
  gone: 'idle',
  left: 'warn',
  refused: 'bad',
  broken: 'bad',
};

export interface LogSourcesProps {
  readonly sources: readonly LogSource[];
  readonly unlisted: number;
  readonly isOfPod: boolean;
  readonly onChoose: (source: LogSource) => void;
}

/** Whose log is read, and why another one is not. */
export function LogSources({ sources, unlisted, isOfPod, onChoose }: LogSourcesProps) {
  if (sources.length === 0) return null;
  return (
    <details className="group border-b" open={sources.some(({ state }) => state === 'refused')}>
      <summary className="focus-inset flex cursor-pointer list-none flex-wrap items-center gap-x-2 gap-y-1 px-4 py-1.5 text-ink-2 text-xs">
        <ChevronRight size={13} aria-hidden className="transition-transform group-open:rotate-90" />
        {t.containers(sources.length)}: {formatStates(sources)}
        {unlisted === 0 ? null : <span className="text-warn">{t.moreAreNotListed(unlisted)}</span>}
      </summary>
      <ScrollRegion tag="ol" label={t.containersTitle} className="max-h-56 divide-y border-t">
        {sources.map((source) => (
          <li key={source.id} className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 px-4 py-1.5 text-xs">
            <button
              type="button"
              onClick={() => onChoose(source)}
              className="rounded-sm text-left font-medium underline decoration-line-strong underline-offset-2 wrap-anywhere"
            >
              {isOfPod ? source.container : `${source.pod}, ${source.container}`}
              <span className="sr-only">{t.readOnlyThisOne}</span>
            </button>
            <Badge tone={TONES[source.state]}>{SOURCE_WORDS[source.state]}</Badge>
            {source.kind === 'container' ? null : <span className="text-ink-3">{t.container(source.kind)}</span>}
            {source.revision === null ? null : <span className="text-ink-3">{source.revision}</span>}
            {source.note === null ? null : (
              <span className="min-w-0 text-ink-2 wrap-anywhere">
                <Sentence text={source.note} />
              </span>
            )}
          </li>
        ))}
      </ScrollRegion>
    </details>
  );
}

function formatStates(sources: readonly LogSource[]): string {
  const counts = new Map<LogSource['state'], number>();
  for (const { state } of sources) counts.set(state, (counts.get(state) ?? 0) + 1);
  return formatList([...counts].map(([state, count]) => `${formatNumber(count)} ${SOURCE_WORDS[state].toLowerCase()}`));
}
