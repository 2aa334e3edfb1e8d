'use client';

import { useQuery } from '@tanstack/react-query';
import { Command } from 'cmdk';
import { Anchor, Box, Boxes, Keyboard, KeyRound, LogOut, Moon, Ship, Sun, Zap } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import { useConnection } from '@/components/live/live-provider';
import { liveQuery } from '@/components/live/live-query';
import { useNavigate } from '@/components/live/navigate';
import { signOut } from '@/components/live/session/sign-out';
import type { FoundEntry } from '@/components/objects/found-objects';
import { useFoundObjects } from '@/components/objects/found-objects';
import { Kbd } from '@/components/ui/kbd';
import { useShownActs } from '@/components/ui/overlay/page-acts';
import { ReleaseKindBadge } from '@/components/ui/status/release-kind-badge';
import { ReleaseMark } from '@/components/ui/status/release-mark';
import { HealthMark } from '@/components/ui/status/status';
import { Sentence } from '@/components/ui/time/sentence';
import { applicationRow } from '@/lib/contract/application-rows';
import { FLUX_RELEASE } from '@/lib/contract/flux-kind';
import { RELEASE_TYPES } from '@/lib/contract/release-kind';
import { releaseRow } from '@/lib/contract/release-rows';
import { rolloutRow } from '@/lib/contract/rollout-rows';
import { FLUX_KINDS } from '@/lib/kube/flux-kinds';
import { KINDS } from '@/lib/kube/kinds';
import { t } from '@/lib/words/catalogue/console/shell';
import { t as keys } from '@/lib/words/catalogue/console/views';
import { NAVIGATION_ITEMS } from './navigation-items';
import { Group, Item, TypedProvider } from './saved/palette-parts';
import { SavedPages, useSavedPages } from './saved/saved-pages';
import { applyTheme } from './theme';

const FOUND = 6;
const SHOWN_RELEASES = { ...RELEASE_TYPES, [FLUX_RELEASE]: FLUX_KINDS[FLUX_RELEASE] };

export interface CommandPaletteProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly onKeys: () => void;
}

/** Everything by its name: pages, applications, rollouts, releases, objects of any kind and what can be done anywhere. */
export function CommandPalette({ open, onOpenChange, onKeys }: CommandPaletteProps) {
  const [typed, setTyped] = useState('');
  const navigate = useNavigate();
  const acts = useShownActs();
  const unsearched = useUnsearched();
  const close = (next: boolean) => {
    onOpenChange(next);
    if (!next) setTyped('');
  };
  const run = (act: () => void) => {
    close(false);
    act();
  };
  const go = (href: string) => run(() => navigate(href));
  return (
    <Command.Dialog
      open={open}
      onOpenChange={close}
      label={t.searchAndCommands}
      overlayClassName="fixed inset-0 z-40 animate-appear bg-black/35 dark:bg-black/60"
      contentClassName="fixed inset-x-3 top-[12dvh] z-50 mx-auto max-w-xl animate-appear overflow-hidden rounded-xl bg-raised shadow-float"
      shouldFilter={false}
    >
      <Command.Input
        value={typed}
        onValueChange={setTyped}
        placeholder={t.searchObjectsPagesAndActions}
        className="h-12 w-full border-b bg-transparent px-4 text-base outline-none placeholder:text-ink-3"
      />
      <TypedProvider value={typed}>
        <Command.List label={t.results} className="max-h-[min(56dvh,420px)] overflow-y-auto overscroll-contain p-1.5">
          {unsearched === null ? <Command.Empty className="px-3 py-8 text-center text-ink-3">{t.noResults}</Command.Empty> : null}
          {acts.length > 0 ? (
            <Group heading={t.onThisPage}>
              {acts.map(({ verb, label, blocked, run: act }) => (
                <Item key={label} value={label} verb={verb} onSelect={() => (blocked === null ? run(act) : undefined)}>
                  <Zap size={15} aria-hidden className="shrink-0 text-ink-3" />
                  <span className={blocked === null ? 'shrink-0' : 'shrink-0 text-ink-3'}>{label}</span>
                  {blocked === null ? null : (
                    <span className="min-w-0 truncate text-ink-3 text-xs" title={blocked}>
                      <Sentence text={blocked} />
                    </span>
                  )}
                </Item>
              ))}
            </Group>
          ) : null}
          {open ? <SavedPages onGo={go} /> : null}
          <Group heading={t.pages}>
            {NAVIGATION_ITEMS.map((place) => (
              <Item key={place.href} value={`page ${place.label}`} onSelect={() => go(place.href)}>
                <place.icon size={15} aria-hidden className="text-ink-3" />
                {place.label}
                <span className="ml-auto flex gap-1">
                  <Kbd>G</Kbd>
                  <Kbd>{place.key.toUpperCase()}</Kbd>
                </span>
              </Item>
            ))}
          </Group>
          <Group heading={t.actions}>
            <Item value="theme light" onSelect={() => run(() => applyTheme('light'))}>
              <Sun size={15} aria-hidden className="text-ink-3" /> {t.lightTheme}
            </Item>
            <Item value="theme dark" onSelect={() => run(() => applyTheme('dark'))}>
              <Moon size={15} aria-hidden className="text-ink-3" /> {t.darkTheme}
            </Item>
            <Item value="keyboard shortcuts keys" onSelect={() => run(onKeys)}>
              <Keyboard size={15} aria-hidden className="text-ink-3" /> {keys.keyboardShortcuts}
              <span className="ml-auto flex">
                <Kbd>?</Kbd>
              </span>
            </Item>
            <Item value="sessions signed in" onSelect={() => go('/sessions')}>
              <KeyRound size={15} aria-hidden className="text-ink-3" /> {t.sessions}
            </Item>
            <Item value="sign out" onSelect={() => run(() => void signOut())}>
              <LogOut size={15} aria-hidden className="text-ink-3" /> {t.signOut}
            </Item>
          </Group>
          {/* Comes late, so it comes last: nothing moves under an Enter on its way, and the first entry is the highlighted one. */}
          {open ? <FoundObjects typed={typed} onGo={go} /> : null}
          {unsearched === null ? null : <p className="px-2.5 py-2 text-ink-3 text-xs">{unsearched}</p>}
        </Command.List>
      </TypedProvider>
    </Command.Dialog>
  );
}

/** Why no objects are found while nobody answers: that there are none would be another thing. Where only a live connection is refused, they are found. */
function useUnsearched(): string | null {
  const connection = useConnection();
  const isAway =
    (connection.kind === 'ended' && connection.remedy !== 'reload') || (connection.kind === 'offline' && connection.answers !== true);
  return isAway ? t.objectsCannotBeSearched(connection.reason) : null;
}

function FoundObjects({ typed, onGo }: { readonly typed: string; readonly onGo: (href: string) => void }) {
  const q = useDeferredValue(typed.trim());
  const filter = { size: FOUND, ...(q === '' ? {} : { q }) };
  const applications = useQuery({
    ...liveQuery({ kind: 'applications', query: filter }, applicationRow),
    staleTime: 5000,
    placeholderData: (before) => before,
  });
  const rollouts = useQuery({
    ...liveQuery({ kind: 'rollouts', query: filter }, rolloutRow),
    staleTime: 5000,
    placeholderData: (before) => before,
  });
  const releases = useQuery({
    ...liveQuery({ kind: 'releases', query: filter }, releaseRow),
    staleTime: 5000,
    placeholderData: (before) => before,
  });
  const found = { rollouts: rollouts.data?.rows ?? [], applications: applications.data?.rows ?? [], releases: releases.data?.rows ?? [] };
  // What has a page of its own is found as that.
  const { kinds, objects } = useFoundObjects(q, [
    ...found.rollouts.map(({ ns, name }) => ({ ...KINDS.rolloutOrchestrator, ns, name })),
    ...found.applications.map(({ ns, name }) => ({ ...KINDS.application, ns, name })),
    ...found.releases.map(({ kind, ns, name }) => ({ ...SHOWN_RELEASES[kind], ns, name })),
  ]);
  const { favourites, recent } = useSavedPages();
  const isNew = (href: string) => !favourites.includes(href) && !recent.includes(href);
  return (
    <>
      {found.rollouts.length > 0 ? (
        <Group heading={t.rollouts}>
          {found.rollouts
            .filter(({ key }) => isNew(`/rollouts/${key}`))
            .map((row) => (
              <Item key={row.key} value={`rollout ${row.ns}/${row.name} ${row.to}`} onSelect={() => onGo(`/rollouts/${row.key}`)}>
                <Anchor size={15} aria-hidden className="text-ink-3" />
                <Named name={row.name} ns={row.ns} />
                <span className="ml-auto inline-flex min-w-0 max-w-1/3 items-center gap-2 text-ink-3 text-xs">
                  <span className="truncate">{row.to}</span> <HealthMark health={row.health} />
                </span>
              </Item>
            ))}
        </Group>
      ) : null}
      {found.applications.length > 0 ? (
        <Group heading={t.applications}>
          {found.applications
            .filter(({ key }) => isNew(`/applications/${key}`))
            .map((row) => (
              <Item key={row.key} value={`application ${row.ns}/${row.name}`} onSelect={() => onGo(`/applications/${row.key}`)}>
                <Box size={15} aria-hidden className="text-ink-3" />
                <Named name={row.name} ns={row.ns} />
                <span className="ml-auto inline-flex">
                  <HealthMark health={row.health} />
                </span>
              </Item>
            ))}
        </Group>
      ) : null}
      {found.releases.length > 0 ? (
        <Group heading={t.releases}>
          {found.releases
            .filter(({ key }) => isNew(`/releases/${key}`))
            .map((row) => (
              <Item
                key={row.key}
                value={`release ${row.ns}/${row.name} ${row.release.name} ${row.kind}`}
                onSelect={() => onGo(`/releases/${row.key}`)}
              >
                <Ship size={15} aria-hidden className="text-ink-3" />
                <Named name={row.name} ns={row.ns} />
                <ReleaseKindBadge kind={row.kind} />
                <span className="ml-auto inline-flex">
                  <ReleaseMark state={row.state} className="text-xs" />
                </span>
              </Item>
            ))}
        </Group>
      ) : null}
      <FoundEntries heading={t.kinds} entries={kinds} onGo={onGo} />
      <FoundEntries heading={t.objects} entries={objects.filter(({ href }) => isNew(href))} onGo={onGo} />
    </>
  );
}

function FoundEntries({
  heading,
  entries,
  onGo,
}: {
  readonly heading: string;
  readonly entries: readonly FoundEntry[];
  readonly onGo: (href: string) => void;
}) {
  if (entries.length === 0) return null;
  return (
    <Group heading={heading}>
      {entries.map(({ key, value, href, label }) => (
        <Item key={key} value={value} onSelect={() => onGo(href)}>
          <Boxes size={15} aria-hidden className="text-ink-3" />
          {label}
        </Item>
      ))}
    </Group>
  );
}

function Named({ name, ns }: { readonly name: string; readonly ns: string }) {
  return (
    <span className="min-w-0 truncate">
      {name} <span className="text-ink-3">{ns}</span>
    </span>
  );
}
