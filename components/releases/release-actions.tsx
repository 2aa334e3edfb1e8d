'use client';

import { useQuery } from '@tanstack/react-query';
import { Anchor, Ban, Check, History, KeyRound, LockOpen, RefreshCw, ShieldMinus, SquarePen, Trash2 } from 'lucide-react';
import { useRouter } from 'next/navigation';
import type { ComponentType } from 'react';
import { useState } from 'react';
import type { Staleness } from '@/components/live/staleness';
import { refusalWhileAway, refusalWhileStale } from '@/components/live/staleness';
import { Button } from '@/components/ui/button';
import { labelAct, usePageActs } from '@/components/ui/overlay/page-acts';
import type { ReleaseVerb } from '@/lib/contract/release-decision';
import type { ReleaseAction, ReleaseDetail, ReleaseRights } from '@/lib/contract/release-rows';
import { t } from '@/lib/words/catalogue/releases/releases';
import { verbWord } from '@/lib/words/releases/verb-words';
import { ReleaseDialog } from './decide/release-dialog';
import { UninstallDialog } from './decide/uninstall-dialog';
import type { ReleasePlace } from './release-queries';
import { releaseQueries } from './release-queries';

const ICONS: Readonly<Record<ReleaseVerb, ComponentType<{ size?: number; 'aria-hidden'?: boolean }>>> = {
  sync: RefreshCw,
  approve: Check,
  rollback: History,
  hold: Anchor,
  lift: LockOpen,
  cancel: Ban,
  unlock: KeyRound,
  loosen: ShieldMinus,
};

const LOOKS: Partial<Readonly<Record<ReleaseVerb, 'primary' | 'warning'>>> = {
  approve: 'primary',
  rollback: 'warning',
  lift: 'primary',
  cancel: 'warning',
  unlock: 'warning',
  loosen: 'warning',
};

/** Of hold and lift one is meant at a time; what a gate asks for only where there is one, and what ends or frees Helm only where it is at work or stuck. */
function isMeant(verb: ReleaseVerb, { hold, gate, work, stored }: ReleaseDetail): boolean {
  if (verb === 'hold' || verb === 'lift') return verb === (hold === null ? 'hold' : 'lift');
  if (verb === 'cancel') return work?.kind === 'here' ? work.until === null : work !== null && stored?.startsWith('pending') === true;
  if (verb === 'unlock') return stored?.startsWith('pending') === true;
  if (verb === 'approve') return gate !== null;
  return verb !== 'loosen' || (gate !== null && gate.looser !== null);
}

/** What a person may do with a release now. What is not possible says why; every act opens what it does first. */
export function ReleaseActions({
  release,
  place,
  staleness,
}: {
  readonly release: ReleaseDetail;
  readonly place: ReleasePlace;
  readonly staleness: Staleness | null;
}) {
  const [opened, setOpened] = useState<ReleaseAction | null>(null);
  const rights = useQuery(releaseQueries.rights(place, release.gate));
  const [uninstalls, setUninstalls] = useState(false);
  const uninstalling = rights.data?.uninstall ?? refusalWhileStale(staleness);
  const isArchive = release.origin.kind === 'repository';
  const shown = release.actions
    .filter(({ verb }) => isMeant(verb, release))
    .map((action) => ({
      verb: action.verb,
      says: verbWord(action.verb, { isArchive }),
      blocked: refusalOf(action, rights.data, staleness),
      action,
    }));
  usePageActs([
    ...shown.map(({ verb, says, blocked, action }) => ({
      id: verb,
      verb: says,
      label: labelAct(says, release.name),
      blocked,
      run: () => setOpened(action),
    })),
    {
      id: 'uninstall',
      verb: t.uninstall,
      label: labelAct(t.uninstall, release.name),
      blocked: uninstalling,
      run: () => setUninstalls(true),
    },
  ]);
  return (
    <fieldset className="flex flex-wrap items-center gap-2" aria-label={t.actions}>
      {shown.map(({ verb, says, blocked, action }) => {
        const Icon = ICONS[verb];
        return (
          <Button key={verb} size="md" look={LOOKS[verb] ?? 'secondary'} blocked={blocked} onClick={() => setOpened(action)}>
            <Icon size={14} aria-hidden />
            {says}
          </Button>
        );
      })}
      <EditAction place={place} why={rights.data?.edit ?? refusalWhileStale(staleness)} />
      <Button size="md" look="warning" blocked={uninstalling} onClick={() => setUninstalls(true)}>
        <Trash2 size={14} aria-hidden />
        {t.uninstall}
      </Button>
      {uninstalls ? <UninstallDialog release={release} place={place} blocked={uninstalling} onClose={() => setUninstalls(false)} /> : null}
      {opened ? (
        <ReleaseDialog
          release={release}
          place={place}
          action={opened}
          blocked={refusalOf(release.actions.find(({ verb }) => verb === opened.verb) ?? opened, rights.data, staleness)}
          onClose={() => setOpened(null)}
        />
      ) : null}
    </fieldset>
  );
}

/** Editing has a page of its own: a text is not lost by a key or a click beside a dialog. */
function EditAction({ place: { ns, kind, name }, why }: { readonly place: ReleasePlace; readonly why: string | null }) {
  const router = useRouter();
  return (
    <Button size="md" blocked={why} onClick={() => router.push(`/releases/${ns}/${kind}/${name}/edit`)}>
      <SquarePen size={14} aria-hidden />
      {t.edit}
    </Button>
  );
}

/** The state first, then the right, then the age of what is shown: stopping is refused only where nobody answers. */
function refusalOf({ verb, why }: ReleaseAction, rights: ReleaseRights | undefined, staleness: Staleness | null): string | null {
  return why ?? rights?.[verb] ?? (verb === 'hold' || verb === 'cancel' ? refusalWhileAway : refusalWhileStale)(staleness);
}
