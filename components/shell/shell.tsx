'use client';

import type { ReactNode } from 'react';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useConnection } from '@/components/live/live-provider';
import { useHeldLinks, useOfflinePage } from '@/components/live/navigate';
import type { FocusPlace } from '@/components/ui/overlay/focus-place';
import { focusAt, readFocusPlace } from '@/components/ui/overlay/focus-place';
import { LazyDialog } from '@/components/ui/overlay/lazy/lazy-dialog';
import { lazyWhenIdle, loadWhenIdle, useLazyModule } from '@/components/ui/overlay/lazy/lazy-module';
import { Toaster } from '@/components/ui/overlay/toast';
import { PreferencesOf } from '@/components/ui/preferences/use-preferences';
import type { SessionView } from '@/lib/contract/requests';
import { t } from '@/lib/words/catalogue/console/shell';
import { AnotherCluster } from './cluster/another-cluster';
import { useClusterAddress } from './cluster/use-cluster-address';
import { useKeptFocus } from './keys/use-kept-focus';
import { useReturnedFocus } from './keys/use-returned-focus';
import { BottomBar, TopBar } from './narrow-bars';
import { Rail } from './rail';
import { SessionMenu } from './session-menu';
import type { Theme } from './theme';
import { TroubleBanner } from './trouble-banner';
import { useShortcuts } from './use-shortcuts';
// What pages and the page that stands in for one that fails have in common is sent once, with the frame.
import '@/components/ui/data/error-panel';
import '@/components/ui/button';
import '@/components/ui/page-head';

// What the first page can do without comes when it is asked for, or when the browser has time; the frame in its place holds the keys back until it is there.
const palette = lazyWhenIdle(async () => (await import('./command-palette')).CommandPalette);
const palettePending = <div role="dialog" aria-label={t.searchAndCommands} aria-busy="true" />;
const printedBy = lazyWhenIdle(async () => (await import('./print/printed-by')).PrintedBy);
const keysDialog = lazyWhenIdle(async () => (await import('./keys/keys-dialog')).KeysDialog);

export interface ShellProps {
  readonly session: SessionView;
  readonly theme: Theme;
  readonly children: ReactNode;
}

/** The frame around every page. */
export function Shell({ session, theme, children }: ShellProps) {
  const [searching, setSearching] = useState(false);
  const [wasSearched, setWasSearched] = useState(false);
  const [showsKeys, setShowsKeys] = useState(false);
  const opener = useRef<FocusPlace>([]);
  const openPalette = useCallback(() => {
    opener.current = readFocusPlace();
    setSearching(true);
    setWasSearched(true);
  }, []);
  // The palette has no trigger of its own to give the focus back to.
  useEffect(() => {
    if (!searching) focusAt(opener.current);
  }, [searching]);
  const dropPalette = () => {
    setSearching(false);
    setWasSearched(false);
  };
  const showKeys = useCallback(() => setShowsKeys(true), []);
  useShortcuts(openPalette, showKeys);
  useKeptFocus();
  useReturnedFocus();
  const isLive = useConnection().kind === 'live';
  useEffect(() => (isLive ? loadWhenIdle() : undefined), [isLive]);
  const PrintedBy = useLazyModule(printedBy);
  const another = useClusterAddress();
  useHeldLinks();
  useOfflinePage();
  return (
    <PreferencesOf value={session.user}>
      <div className="flex min-h-dvh flex-col sm:flex-row">
        <a
          href="#content"
          className="-translate-y-20 print:hidden fixed top-2 left-2 z-50 rounded-md bg-accent-fill px-3 py-1.5 text-white focus:translate-y-0"
        >
          {t.skipToContent}
        </a>
        <Rail onSearch={openPalette} menu={<SessionMenu session={session} theme={theme} />} />
        <TopBar onSearch={openPalette} menu={<SessionMenu session={session} theme={theme} compact />} />
        <div className="flex min-w-0 flex-1 flex-col">
          <TroubleBanner />
          <main
            id="content"
            tabIndex={-1}
            className="mx-auto w-full max-w-[1480px] flex-1 px-4 pt-5 pb-20 outline-none sm:px-6 sm:pb-10 xl:px-8"
          >
            {PrintedBy === undefined ? null : <PrintedBy user={session.user} />}
            {another === null ? children : <AnotherCluster named={another} />}
          </main>
        </div>
        <BottomBar />
        {wasSearched ? (
          <LazyDialog part={palette} onMissing={dropPalette} pending={palettePending}>
            {(CommandPalette) => <CommandPalette open={searching} onOpenChange={setSearching} onKeys={showKeys} />}
          </LazyDialog>
        ) : null}
        {showsKeys ? (
          <LazyDialog part={keysDialog} onMissing={() => setShowsKeys(false)}>
            {(KeysDialog) => <KeysDialog onClose={() => setShowsKeys(false)} />}
          </LazyDialog>
        ) : null}
        <Toaster />
      </div>
    </PreferencesOf>
  );
}
