'use client';

import { useQuery } from '@tanstack/react-query';
import { CirclePause, CirclePlay, Eraser, RefreshCw, Zap } from 'lucide-react';
import type { ComponentType } from 'react';
import { useState } from 'react';
import type { Staleness } from '@/components/live/staleness';
import { refusalWhileAway, refusalWhileStale } from '@/components/live/staleness';
import { Button } from '@/components/ui/button';
import type { FluxVerb } from '@/lib/contract/flux-kind';
import type { FluxAct, FluxReference, FluxReleaseDetail, FluxSourceDetail } from '@/lib/contract/flux-rows';
import { t } from '@/lib/words/catalogue/releases/flux';
import { FluxDialog } from './flux-dialog';
import type { FluxPlace } from './flux-queries';
import { fluxQueries } from './flux-queries';
import { FLUX_VERB_WORD } from './flux-words';

const ICONS: Readonly<Record<FluxVerb, ComponentType<{ size?: number; 'aria-hidden'?: boolean }>>> = {
  reconcile: RefreshCw,
  force: Zap,
  reset: Eraser,
  suspend: CirclePause,
  resume: CirclePlay,
};

interface FluxActionsProps {
  readonly object: Pick<FluxReleaseDetail | FluxSourceDetail, 'uid' | 'generation' | 'acts'> & { readonly isSuspended: boolean };
  readonly place: FluxPlace;
  /** The source that may be fetched first; null where there is none. */
  readonly source: FluxReference | null;
  readonly staleness: Staleness | null;
}

/** What a person may ask of Flux now. What is not possible says why; every act opens what it does first. */
export function FluxActions({ object, place, source, staleness }: FluxActionsProps) {
  const [opened, setOpened] = useState<FluxAct | null>(null);
  const rights = useQuery(fluxQueries.rights(place));
  const refusalOf = ({ verb, why }: FluxAct) =>
    why ?? rights.data?.[verb] ?? (verb === 'suspend' ? refusalWhileAway : refusalWhileStale)(staleness);
  // Of suspend and resume one is meant at a time.
  const shown = object.acts.filter(({ verb }) => verb !== (object.isSuspended ? 'suspend' : 'resume'));
  const now = opened && (object.acts.find(({ verb }) => verb === opened.verb) ?? opened);
  return (
    <fieldset className="flex flex-wrap items-center gap-2" aria-label={t.actions}>
      {shown.map((act) => {
        const Icon = ICONS[act.verb];
        return (
          <Button
            key={act.verb}
            size="md"
            look={act.verb === 'reconcile' ? 'primary' : act.verb === 'force' ? 'warning' : 'secondary'}
            blocked={refusalOf(act)}
            onClick={() => setOpened(act)}
          >
            <Icon size={14} aria-hidden />
            {FLUX_VERB_WORD[act.verb]}
          </Button>
        );
      })}
      {opened && now ? (
        <FluxDialog object={object} place={place} act={opened} source={source} blocked={refusalOf(now)} onClose={() => setOpened(null)} />
      ) : null}
    </fieldset>
  );
}
