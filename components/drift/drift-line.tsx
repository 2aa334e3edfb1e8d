'use client';

import { ChevronRight } from 'lucide-react';
import type { Staleness } from '@/components/live/staleness';
import { asSentence } from '@/components/ui/as-sentence';
import { Badge } from '@/components/ui/badge';
import { cx } from '@/components/ui/cx';
import { Sentence } from '@/components/ui/time/sentence';
import type { DriftedObject } from '@/lib/contract/drift-rows';
import { t } from '@/lib/words/catalogue/delivery/drift';
import { DriftDetail } from './drift-detail';
import type { DriftPlace } from './drift-queries';
import { DRIFT_STATE } from './drift-words';

const NAMED = 3;

export interface DriftLineProps {
  readonly object: DriftedObject;
  readonly place: DriftPlace;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  /** Why nothing can be put back now. */
  readonly blocked: string | null;
  readonly staleness: Staleness | null;
}

/** One object that is not as it is wanted; opened, it is read live with who set what. */
export function DriftLine({ object, place, isOpen, onToggle, blocked, staleness }: DriftLineProps) {
  const { kind, ns, name, state, why, fields, fieldCount } = object;
  const { word, tone } = DRIFT_STATE[state];
  const named = fields.slice(0, NAMED);
  return (
    <li>
      <div className="relative flex items-start gap-2 py-2 pr-4 pl-3 hover:bg-hover has-[button:focus-visible]:bg-hover">
        <ChevronRight size={14} aria-hidden className={cx('mt-[3px] shrink-0 text-ink-3 transition-transform', isOpen && 'rotate-90')} />
        <div className="min-w-0 flex-1">
          <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <button
              type="button"
              aria-expanded={isOpen}
              onClick={onToggle}
              className="min-w-0 wrap-anywhere rounded-sm text-left font-medium after:absolute after:inset-0"
            >
              <span className="font-normal text-ink-3">{kind}</span> {name}
            </button>
            {ns === null || ns === place.ns ? null : <span className="text-ink-3 text-xs">{t.in(ns)}</span>}
            <Badge tone={tone}>{word}</Badge>
          </p>
          {why === undefined ? null : (
            <p className="mt-0.5 text-ink-2 text-xs wrap-anywhere">
              <Sentence text={asSentence(why)} />
            </p>
          )}
          {isOpen || named.length === 0 ? null : (
            <ul className="mt-0.5 text-ink-2 text-xs">
              {named.map(({ path }) => (
                <li key={path} className="wrap-anywhere font-mono">
                  {path}
                </li>
              ))}
              {fieldCount > named.length ? <li className="text-ink-3">{t.andMore(fieldCount - named.length)}</li> : null}
            </ul>
          )}
        </div>
      </div>
      {isOpen ? <DriftDetail object={object} place={place} blocked={blocked} staleness={staleness} /> : null}
    </li>
  );
}
