import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ApplicationScreen } from '@/components/applications/application-screen';
import { RolloutScreen } from '@/components/rollouts/rollout-screen';
import { PrintedBy } from '@/components/shell/print/printed-by';
import { Toaster } from '@/components/ui/overlay/toast';
import { makeScene } from '@/test/support/fixture/scene';
import { answerFetch, SCREEN_NOW, showScreen } from '@/test/support/screen';

const toPaper = (event: 'beforeprint' | 'afterprint') => act(() => void globalThis.dispatchEvent(new Event(event)));
const lines = () => screen.getAllByRole('treeitem').length;

/** Answers topics as the server of a scene does, and notes which objects were asked for. */
function answerTopics(asked: string[]) {
  const scene = makeScene('many', SCREEN_NOW);
  const log = answerFetch({
    'GET /api/v1/rows': async () => {
      const topic = new URL(log.sent.at(-1)?.url ?? '', 'http://console').searchParams.get('topic') ?? '';
      if (topic.startsWith('tree/')) asked.push(topic.split('?')[1] ?? '');
      return Response.json(await scene.snapshot(topic));
    },
  });
  return log;
}

describe('what goes to paper', () => {
  afterEach(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  it('[issue 14.3] of a rollout is every attempt with its stages, every decision and the whole timeline, whichever is open', async () => {
    using _log = answerFetch({});
    await showScreen(<RolloutScreen ns="shop" name="web" />, { topics: ['rollout/shop/web'] });
    const titles = () => screen.getAllByRole('heading').map(({ textContent }) => textContent);
    expect(titles()).not.toContain('Rollout to web-v4, aborted');
    expect(screen.queryByRole('list', { name: 'Decisions' })).toBeNull();
    toPaper('beforeprint');
    expect(titles()).toEqual(expect.arrayContaining(['Rollout to web-v4, aborted', 'Timeline 6', 'Decisions 3']));
    expect(screen.getByRole('list', { name: 'Timeline' })).toBeInTheDocument();
    expect(screen.getByRole('list', { name: 'Decisions' })).toBeInTheDocument();
    toPaper('afterprint');
    expect(titles()).not.toContain('Rollout to web-v4, aborted');
    expect(screen.queryByRole('list', { name: 'Decisions' })).toBeNull();
  });

  it('[issue 14.3] says who printed it, when to the second with the zone, of which cluster and which address', async () => {
    await showScreen(<PrintedBy user="ann" />, { zone: 'Europe/Berlin' });
    expect(screen.queryByText(/^Printed by/)).toBeNull();
    vi.setSystemTime('2026-03-03T13:05:09.250Z');
    toPaper('beforeprint');
    const said = 'Printed by ann on 3 Mar 2026, 14:05:09 UTC+1. Simulated cluster,';
    expect(screen.getByText(/^Printed by/)).toHaveTextContent(`${said} ${globalThis.location.href}`);
    toPaper('afterprint');
    expect(screen.queryByText(/^Printed by/)).toBeNull();
  });

  it('[issue 14.3] of an application is every object, read before the paper comes, up to a thousand', async () => {
    const asked: string[] = [];
    using _log = answerTopics(asked);
    const topics = ['application/shop/storefront', 'tree/shop/storefront'];
    await showScreen(<ApplicationScreen ns="shop" name="storefront" />, { topics, scene: 'many' });
    const before = lines();
    const printed: number[] = [];
    globalThis.print = () => void printed.push(lines());
    await userEvent.click(screen.getByRole('button', { name: 'Print with all objects' }));
    await waitFor(() => expect(printed).toEqual([1000]));
    expect(asked.filter((query) => query.startsWith('page='))).toHaveLength(19);
    expect(screen.getByText(/^Only objects 1–1,000 of /)).toBeInTheDocument();
    toPaper('afterprint');
    expect(lines()).toBe(before);
  });

  it('[issue 14.3] is nothing where the objects cannot be read, and that is said', async () => {
    using _log = answerFetch({}, () => Response.json({ error: { code: 'unavailable', message: 'No watch.' } }, { status: 503 }));
    const topics = ['application/shop/storefront', 'tree/shop/storefront'];
    const page = (
      <>
        <ApplicationScreen ns="shop" name="storefront" />
        <Toaster />
      </>
    );
    await showScreen(page, { topics, scene: 'many' });
    const print = vi.fn();
    globalThis.print = print;
    const button = screen.getByRole('button', { name: 'Print with all objects' });
    await userEvent.click(button);
    await within(screen.getByRole('status', { name: 'Notifications' })).findByText('No watch.');
    expect(button).not.toHaveAttribute('aria-busy');
    expect(print).not.toHaveBeenCalled();
    expect(screen.queryByText(/^Only objects 1–1,000/)).toBeNull();
  });
});
