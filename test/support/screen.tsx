import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render } from '@testing-library/react';
import type { AppRouterInstance } from 'next/dist/shared/lib/app-router-context.shared-runtime';
import { AppRouterContext } from 'next/dist/shared/lib/app-router-context.shared-runtime';
import { PathnameContext, SearchParamsContext } from 'next/dist/shared/lib/hooks-client-context.shared-runtime';
import type { ReactElement, ReactNode } from 'react';
import { useEffect, useState } from 'react';
import type { Connection } from '@/components/live/connection';
import type { LiveClient } from '@/components/live/live-client';
import { LiveClientProvider } from '@/components/live/live-provider';
import { liveKey } from '@/components/live/live-query';
import { rightsKey } from '@/components/live/rights';
import { RenderedAt } from '@/components/ui/time/use-now';
import { ZoneContext } from '@/components/ui/time/zone';
import type { Within } from '@/lib/contract/lists/within';
import type { RightsOf } from '@/lib/contract/rights-of';
import { parseTopic } from '@/lib/contract/topic';
import { parseZone } from '@/lib/words/times';
import { rightsIn } from './fixture/rights';
import type { Scene, SceneRows } from './fixture/scene';
import { makeScene } from './fixture/scene';

export const SCREEN_NOW = Date.UTC(2026, 10, 20, 9, 30);

export interface ScreenOptions {
  readonly scene?: Scene;
  /** Topics that the server would have read for the page. */
  readonly topics?: readonly string[];
  /** The namespaces that these are limited to. */
  readonly within?: Within;
  /** Whether the page comes with what the person may do about its topics, as pages do, or the browser has to ask. */
  readonly rights?: 'known' | 'asked';
  readonly path?: string;
  readonly search?: string;
  readonly connection?: Connection;
  /** The zone of the page; UTC unless given. */
  readonly zone?: string;
  /** What becomes of every text in the rows that the server would have read. */
  readonly spoken?: (text: string, field: string) => string;
}

export interface Screen {
  readonly close: () => void;
  readonly rows: SceneRows;
  readonly queries: QueryClient;
  /** Pages that were gone to. */
  readonly visited: readonly string[];
}

/** Shows a screen as its page would: seeded with a scene's rows, with a router and a quiet socket. */
export async function showScreen(screen: ReactElement, options: ScreenOptions = {}): Promise<Screen> {
  const rows = makeScene(options.scene ?? 'full', SCREEN_NOW);
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  for (const topic of ['status', ...(options.topics ?? [])]) {
    const { within } = options;
    queries.setQueryData(liveKey(topic), { ...spokenIn(await rows.snapshot(topic), options.spoken), ...(within && { within }) });
  }
  for (const of of options.rights === 'asked' ? [] : rightsAbout(options.topics ?? []))
    queries.setQueryData(rightsKey(of), rightsIn(rows.scene, of));
  const visited: string[] = [];
  const { unmount: close } = render(
    <Frame queries={queries} options={options} onVisit={(href) => visited.push(href)}>
      {screen}
    </Frame>,
  );
  return { close, rows, queries, visited };
}

/** A value as JSON has it, with every text in it changed. */
function spokenIn<Value>(value: Value, say: ScreenOptions['spoken']): Value {
  if (say === undefined) return value;
  return JSON.parse(JSON.stringify(value), (field, member: unknown) => (typeof member === 'string' ? say(member, field) : member));
}

function rightsAbout(topics: readonly string[]): readonly RightsOf[] {
  return topics.flatMap((text): readonly RightsOf[] => {
    const topic = parseTopic(text);
    if (topic?.kind === 'applications') return [{ kind: 'applications' }];
    return topic?.kind === 'application' || topic?.kind === 'rollout' ? [topic] : [];
  });
}

interface FrameProps {
  readonly queries: QueryClient;
  readonly options: ScreenOptions;
  readonly onVisit: (href: string) => void;
  readonly children: ReactNode;
}

function Frame({ queries, options, onVisit, children }: FrameProps) {
  const router: AppRouterInstance = {
    push: onVisit,
    replace: onVisit,
    back: () => {},
    forward: () => {},
    refresh: () => {},
    prefetch: () => {},
    hmrRefresh: () => {},
  } as unknown as AppRouterInstance;
  return (
    <AppRouterContext value={router}>
      <PathnameContext value={options.path ?? '/'}>
        <SearchParamsContext value={useWrittenParams(options.search)}>
          <QueryClientProvider client={queries}>
            <RenderedAt value={SCREEN_NOW}>
              <ZoneContext value={parseZone(options.zone)}>
                <LiveClientProvider value={quietClient(options.connection ?? { kind: 'live' })}>{children}</LiveClientProvider>
              </ZoneContext>
            </RenderedAt>
          </QueryClientProvider>
        </SearchParamsContext>
      </PathnameContext>
    </AppRouterContext>
  );
}

/** The query of the address, which what a screen writes to the browser's history changes, as the router has it. */
function useWrittenParams(search: string | undefined): URLSearchParams {
  const [params, setParams] = useState(() => new URLSearchParams(search));
  useEffect(() => {
    const { history } = globalThis;
    const real = { push: history.pushState, replace: history.replaceState };
    const writing =
      (write: History['pushState']): History['pushState'] =>
      (...written) => {
        write.apply(history, written);
        setParams(new URLSearchParams(globalThis.location.search));
      };
    history.pushState = writing(real.push);
    history.replaceState = writing(real.replace);
    return () => {
      history.pushState = real.push;
      history.replaceState = real.replace;
    };
  }, []);
  return params;
}

function quietClient(connection: Connection): LiveClient {
  const terminals = { open: () => ({ type: () => {}, resize: () => {}, close: () => {} }), lose: () => {} };
  return { watch: () => () => {}, connection: () => connection, onConnection: () => () => {}, start: () => () => {}, terminals };
}

/** What the browser asked the server, and the answers it got, in place of a network. */
export interface FetchLog {
  readonly sent: { readonly url: string; readonly method: string; readonly body: unknown }[];
}

type Answer = (body: unknown) => Response | Promise<Response>;

/** Answers requests from a table of paths; what is not in it is not found, or answered as given. Gives the real fetch back when disposed. */
export function answerFetch(answers: Readonly<Record<string, Answer>>, otherwise?: Answer): FetchLog & Disposable {
  const real = globalThis.fetch;
  const sent: FetchLog['sent'] = [];
  globalThis.fetch = async (input, init) => {
    const url = String(input);
    const body: unknown = typeof init?.body === 'string' ? JSON.parse(init.body) : undefined;
    sent.push({ url, method: init?.method ?? 'GET', body });
    const answer = answers[`${init?.method ?? 'GET'} ${url.split('?')[0]}`] ?? otherwise;
    return answer
      ? answer(body)
      : Response.json({ error: { code: 'not-found', message: `${url} is not answered here.` } }, { status: 404 });
  };
  return {
    sent,
    [Symbol.dispose]: () => {
      globalThis.fetch = real;
    },
  };
}
