'use client';

import '@xterm/xterm/css/xterm.css';
import { useEffect, useRef } from 'react';
import { useLiveClient } from '@/components/live/live-provider';
import type { TerminalClient } from '@/components/live/terminal-client';
import { lazyOnDemand } from '@/components/ui/overlay/lazy/lazy-module';
import type { TerminalRequest } from '@/lib/contract/terminal';
import { t as ui } from '@/lib/words/catalogue/console/ui';
import { t } from '@/lib/words/catalogue/objects/terminal';
import { allowStyles } from './allow-styles';
import type { TerminalState } from './terminal-state';

const terminalParts = lazyOnDemand(() => Promise.all([import('@xterm/xterm'), import('@xterm/addon-fit')]));

type TerminalParts = Awaited<ReturnType<typeof terminalParts.load>>;
type Place = Omit<TerminalRequest, 'columns' | 'rows'>;

export interface TerminalPaneProps {
  readonly asked: Place;
  readonly onState: (state: TerminalState) => void;
}

/** The terminal itself. It takes every key but F6, which goes on to what follows it. */
export function TerminalPane({ asked, onState }: TerminalPaneProps) {
  const box = useRef<HTMLDivElement>(null);
  const after = useRef<HTMLParagraphElement>(null);
  const terminals = useLiveClient()?.terminals;
  const { ns, pod, container } = asked;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a terminal is opened once for a container; who hears of it is the same screen
  useEffect(() => {
    if (terminals === undefined || box.current === null) return;
    const leaving = new AbortController();
    const parts = { box: box.current, asked: { ns, pod, ...(container === undefined ? {} : { container }) }, terminals, onState };
    void terminalParts.load().then(
      (library) => showTerminal(library, { ...parts, signal: leaving.signal, leave: () => after.current?.focus() }),
      () => {
        if (!leaving.signal.aborted) onState({ kind: 'ended', sentence: ui.thisPartDidNotLoad, wasOpen: false, code: null });
      },
    );
    return () => leaving.abort();
  }, [terminals, ns, pod, container]);
  return (
    <>
      {/* Lines and columns are counted by all of the inner box, and by letters without any space between them. */}
      <div className="h-[max(280px,calc(100dvh-320px))] bg-[#101218] p-2 tracking-normal sm:h-[max(280px,calc(100dvh-180px))]">
        <div ref={box} className="h-full" />
      </div>
      <p ref={after} tabIndex={-1} className="sr-only">
        {t.afterTheTerminal}
      </p>
    </>
  );
}

interface Shown {
  readonly box: HTMLElement;
  readonly asked: Place;
  readonly terminals: TerminalClient;
  readonly onState: (state: TerminalState) => void;
  readonly signal: AbortSignal;
  readonly leave: () => void;
}

function showTerminal([{ Terminal }, { FitAddon }]: TerminalParts, { box, asked, terminals, onState, signal, leave }: Shown): void {
  if (signal.aborted) return;
  const nonce = document.querySelector<HTMLElement>('script[nonce]')?.nonce ?? '';
  const forbidStyles = allowStyles(document, nonce);
  const terminal = new Terminal({
    screenReaderMode: true,
    fontSize: 13,
    fontFamily: getComputedStyle(document.documentElement).getPropertyValue('--font-mono') || 'monospace',
    scrollback: 5000,
    // What a container writes is no address of ours to open.
    linkHandler: { activate: () => undefined },
    theme: { background: '#101218', foreground: '#e7e9ee' },
  });
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  terminal.open(box);
  fit.fit();
  terminal.attachCustomKeyEventHandler((event) => {
    if (event.key !== 'F6') return true;
    if (event.type === 'keydown') leave();
    event.preventDefault();
    return false;
  });
  let wasOpen = false;
  const handle = terminals.open(
    { ...asked, columns: Math.max(2, terminal.cols), rows: Math.max(1, terminal.rows) },
    {
      write: (bytes, drawn) => terminal.write(bytes, drawn),
      onOpen(container) {
        wasOpen = true;
        onState({ kind: 'open', container });
        terminal.focus();
      },
      onEnd(sentence, code, grant = []) {
        terminal.options.disableStdin = true;
        onState({ kind: 'ended', sentence, wasOpen, code, grant });
      },
    },
  );
  terminal.onData((text) => handle.type(text));
  terminal.onResize(({ cols, rows }) => handle.resize({ columns: cols, rows }));
  const observer = new ResizeObserver(() => fit.fit());
  observer.observe(box);
  signal.addEventListener('abort', () => {
    observer.disconnect();
    handle.close();
    terminal.dispose();
    forbidStyles();
  });
}
