import { act, cleanup, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApplicationScreen } from '@/components/applications/application-screen';
import { liveKey } from '@/components/live/live-query';
import type { ApplicationDetail } from '@/lib/contract/application-rows';
import type { WindowSnapshot } from '@/lib/contract/live';
import type { PodRow } from '@/lib/contract/pod-rows';
import { answerFetch, showScreen } from '@/test/support/screen';

const TOPIC = 'application/shop/storefront';
const pod = (ready: boolean): PodRow => ({
  key: 'shop/storefront-1',
  ns: 'shop',
  name: 'storefront-1',
  phase: ready ? 'Running' : 'Pending',
  reason: '',
  health: ready ? 'Current' : 'InProgress',
  message: '',
  node: 'node-1',
  address: null,
  createdAt: null,
  deletingSince: null,
  containers: [
    {
      name: 'web',
      kind: 'container',
      image: 'registry.example.com/web:1',
      phase: ready ? 'running' : 'waiting',
      ready,
      restarts: 0,
      startedAt: null,
      waits: ready ? '' : 'ContainerCreating',
      exit: null,
      exitedAt: null,
      exitBefore: null,
      requests: { cpu: null, memory: null },
      limits: { cpu: null, memory: null },
      usage: null,
    },
  ],
});

describe('the pods of an application, beside its objects', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    cleanup();
    vi.useRealTimers();
  });

  async function open() {
    let isReady = false;
    const path = '/api/v1/kinds/core.oam.dev/Application/pods';
    const log = answerFetch({
      [`GET ${path}`]: () => Response.json({ pods: [pod(isReady)], more: 0, hidden: [], unmeasured: null, readAt: '' }),
    });
    const { queries } = await showScreen(<ApplicationScreen ns="shop" name="storefront" />, { topics: [TOPIC, 'tree/shop/storefront'] });
    const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
    const tell = (change: (application: ApplicationDetail) => ApplicationDetail) =>
      act(() => {
        const now = queries.getQueryData<WindowSnapshot<ApplicationDetail>>(liveKey(TOPIC));
        if (now === undefined) throw new Error(`no ${TOPIC}`);
        queries.setQueryData(liveKey(TOPIC), { ...now, rows: now.rows.map(change) });
      });
    await pass(0);
    return {
      log,
      pass,
      tell,
      reads: () => log.sent.filter(({ url }) => url.startsWith(path)).length,
      becomeReady: () => {
        isReady = true;
      },
      row: () => within(screen.getByRole('table', { name: 'Pods' })).getByRole('row', { name: /storefront-1/ }).textContent,
    };
  }

  const withTotal = (total: number) => (application: ApplicationDetail) => ({ ...application, objects: { ...application.objects, total } });

  it('[issue 9.1] are read again within a second of a change that the objects tell, so that one page does not say two things of a pod', async () => {
    const { log, pass, tell, reads, becomeReady, row } = await open();
    using _log = log;
    expect(row()).toContain('ContainerCreating');
    becomeReady();
    await tell(withTotal(7));
    await pass(1100);
    expect(reads()).toBe(2);
    expect(row()).toContain('Running');
  });

  it('[issue 14.1] are said not to be read where that failed, and are not left out as if there were none', async () => {
    using _log = answerFetch({}, () =>
      Response.json({ error: { code: 'unavailable', message: 'The cluster cannot be read now.' } }, { status: 503 }),
    );
    await showScreen(<ApplicationScreen ns="shop" name="storefront" />, { topics: [TOPIC, 'tree/shop/storefront'] });
    await act(() => vi.advanceTimersByTimeAsync(60_000));
    expect(screen.getByRole('heading', { name: /^Pods/ })).toBeInTheDocument();
  });

  it('[issue 14.1] say that usage is measured and that one which runs has no figures yet', async () => {
    const { log, pass, tell, becomeReady } = await open();
    using _log = log;
    const note = () => screen.queryByText('metrics.k8s.io has no usage of 1 running pod yet.');
    expect(note()).toBeNull();
    becomeReady();
    await tell(withTotal(7));
    await pass(1100);
    expect(note()).toBeInTheDocument();
  });

  it('[issue 14.3] say as cards which of their figures is CPU and which is memory', async () => {
    const { log } = await open();
    using _log = log;
    const [card] = within(screen.getByRole('list', { name: 'Pods' })).getAllByRole('listitem');
    const figures = within(card as HTMLElement)
      .getAllByRole('term')
      .map((term) => `${term.textContent} ${term.nextElementSibling?.textContent}`);
    expect(figures).toEqual(['CPU –', 'Memory –']);
  });

  it('[issue 9.1] are read once a second however often the objects change, and not for a change that is none of theirs', async () => {
    const { log, pass, tell, reads } = await open();
    using _log = log;
    for (let total = 10; total < 40; total += 1) {
      await tell(withTotal(total));
      await pass(100);
    }
    expect(reads()).toBe(4);
    await pass(1000);
    const before = reads();
    await tell((application) => ({ ...application, changedAt: '2026-11-20T09:29:00Z' }) as ApplicationDetail);
    await pass(1500);
    expect(reads()).toBe(before);
  });
});
