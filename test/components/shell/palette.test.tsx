import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { ReactNode } from 'react';
import { afterEach, describe, expect, it } from 'vitest';
import type { Connection } from '@/components/live/connection';
import { Shell } from '@/components/shell/shell';
import { usePageActs } from '@/components/ui/overlay/page-acts';
import type { SessionView } from '@/lib/contract/requests';
import { KINDS } from '@/lib/kube/kinds';
import { releaseRows } from '@/test/support/fixture/releases';
import type { SceneRows } from '@/test/support/fixture/scene';
import { makeScene } from '@/test/support/fixture/scene';
import { backFrom } from '@/test/support/fixture/times';
import { answerFetch, SCREEN_NOW, showScreen } from '@/test/support/screen';

// jsdom lays nothing out, so it has nowhere to scroll to.
Element.prototype.scrollIntoView ??= () => {};

const SESSION: SessionView = { user: 'mara', groups: [], mode: 'local', mayInvite: true, expiresAt: '2099-01-01T00:00:00Z' };

/** A kind that what is typed names in full, and so answers to it better than the page of that name. */
const PUMP = { group: '', version: 'v1', kind: 'Pump', plural: 'pumps', namespaced: true, shortNames: ['engine'] };

const options = () => screen.queryAllByRole('option').map(({ textContent }) => textContent);
const highlighted = () => screen.getAllByRole('option').filter((option) => option.getAttribute('aria-selected') === 'true');

/** A page that offers an act on an object. */
function Acts() {
  usePageActs([{ id: 'refresh', verb: 'Refresh', label: 'Refresh checkout', blocked: null, run: () => {} }]);
  return null;
}

const topicOf = (url = '') => new URL(url, 'http://localhost').searchParams.get('topic') ?? '';

interface Around {
  readonly scene?: SceneRows;
  /** The page that is open. */
  readonly page?: ReactNode;
  readonly connection?: Connection;
}

/** The palette, opened by its keys; kinds are found once `answer` is called. */
async function openPalette(found: Parameters<typeof answerFetch>[0] = {}, { scene, page = null, connection }: Around = {}) {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  const log = answerFetch({
    ...found,
    ...(scene && { 'GET /api/v1/rows': async () => Response.json(await scene.snapshot(topicOf(log.sent.at(-1)?.url))) }),
    'GET /api/v1/kinds': async () => {
      await promise;
      return Response.json({ kinds: [PUMP], refused: [], incomplete: false });
    },
  });
  const { visited } = await showScreen(
    <Shell session={SESSION} theme="system">
      {page}
    </Shell>,
    connection ? { connection } : {},
  );
  const user = userEvent.setup();
  await user.keyboard('{Control>}k{/Control}');
  await screen.findByRole('combobox');
  return { log, visited, user, answer: () => act(async () => resolve()) };
}

describe('the results of the palette', () => {
  afterEach(() => localStorage.clear());

  it('[issue 14.3] that come late come last: what is highlighted stays the first, and Enter goes there', async () => {
    const { log, visited, user, answer } = await openPalette();
    using _log = log;
    await user.keyboard('engine');
    const before = options();
    expect(before[0]).toMatch(/^Engine/);
    await answer();
    await waitFor(() => expect(options().length).toBeGreaterThan(before.length));
    expect(options().slice(0, before.length)).toEqual(before);
    expect(highlighted()).toEqual([screen.getAllByRole('option')[0]]);
    await user.keyboard('{Enter}');
    expect(visited).toEqual(['/engine']);
  });

  it('[issue 14.3] name what has a page of its own once', async () => {
    const scene = makeScene('full', SCREEN_NOW);
    const found = [KINDS.application, KINDS.rolloutOrchestrator, { apiVersion: 'v1', kind: 'Service' }].map((type) => ({
      ...type,
      id: `${type.kind}/pay/checkout`,
      ns: 'pay',
      name: 'checkout',
      health: 'Current',
    }));
    localStorage.setItem('slipway-kept/mara', JSON.stringify({ recents: ['/rollouts/pay/checkout'] }));
    const { log, user } = await openPalette({ 'GET /api/v1/objects/find': () => Response.json({ objects: found }) }, { scene });
    using _log = log;
    await user.keyboard('checkout');
    await screen.findByRole('option', { name: /Service/ });
    await waitFor(() =>
      expect(screen.getAllByRole('option').map((option) => option.dataset.value)).toEqual([
        expect.stringMatching(/^Recent rollout /),
        expect.stringMatching(/^application /),
        expect.stringMatching(/Service/),
      ]),
    );
  });

  it('[issue 12.4] tell a HelmRelease of flux.weave.works from another of its name, and each is chosen for itself', async () => {
    const scene = makeScene('full', SCREEN_NOW);
    const rows = releaseRows(backFrom(SCREEN_NOW)).map((row, i) =>
      i === 0 ? row : { ...row, name: 'ledger', kind: 'helmrelease-v1beta1', key: 'pay/helmrelease-v1beta1/ledger' },
    );
    const snapshot: SceneRows['snapshot'] = async (topic) => {
      const found = await scene.snapshot(topic);
      return topic.startsWith('releases') ? { ...found, rows } : found;
    };
    const { log, visited, user } = await openPalette({}, { scene: { ...scene, snapshot } });
    using _log = log;
    await user.keyboard('ledger');
    await screen.findByText('flux.weave.works');
    expect(options()).toEqual(expect.arrayContaining(['ledger payIn sync', 'ledger payflux.weave.worksFailed']));
    await user.click(screen.getByRole('option', { name: /flux\.weave\.works/ }));
    expect(visited).toEqual(['/releases/pay/helmrelease-v1beta1/ledger']);
  });

  it('[issue 14.3] offer an act of the page to whoever types what is done, and to nobody who types the name of an object alone', async () => {
    const { log, visited, user } = await openPalette({}, { scene: makeScene('full', SCREEN_NOW), page: <Acts /> });
    using _log = log;
    expect(options()[0]).toBe('Refresh checkout');
    await user.keyboard('checkout');
    await screen.findAllByText('pay');
    expect(screen.queryByRole('option', { name: 'Refresh checkout' })).toBeNull();
    await user.keyboard(' ');
    expect(screen.queryByRole('option', { name: 'Refresh checkout' })).toBeNull();
    await user.keyboard('ref');
    expect(highlighted().map(({ textContent }) => textContent)).toEqual(['Refresh checkout']);
    await user.clear(screen.getByRole('combobox'));
    await user.keyboard('checkout');
    await screen.findAllByText('pay');
    await user.keyboard('{Enter}');
    expect(visited).toEqual(['/rollouts/pay/checkout']);
  });

  it('[issue 14.3] say while nobody answers that objects cannot be searched, and not that there are none', async () => {
    const offline = { kind: 'offline', since: 0, reason: 'The server does not answer.' } as const;
    const { log, user } = await openPalette({}, { connection: offline });
    using _log = log;
    await user.keyboard('xyz');
    expect(screen.getByText('Objects cannot be searched: The server does not answer.')).toBeInTheDocument();
    expect(screen.queryByText('No results.')).toBeNull();
  });

  it.each<[what: string, connection: Connection, why: string | null]>([
    ['once the session has ended', { kind: 'ended', reason: 'The session has ended.' }, 'The session has ended.'],
    ['and not where only the page is too old', { kind: 'ended', reason: 'The server was updated.', remedy: 'reload' }, null],
    ['and not where only the socket is away', { kind: 'offline', since: 0, reason: 'The socket is away.', answers: true }, null],
  ])('[issue 14.3] say that objects cannot be searched %s', async (_what, connection, why) => {
    const { log, user } = await openPalette({}, { connection });
    using _log = log;
    await user.keyboard('xyz');
    const told = screen.queryAllByText(/^Objects cannot be searched/).map(({ textContent }) => textContent);
    expect(told).toEqual(why === null ? [] : [`Objects cannot be searched: ${why}`]);
    expect(screen.queryAllByText('No results.')).toHaveLength(why === null ? 1 : 0);
  });

  it('[issue 14.3] hold every word that was typed', async () => {
    const { log, user } = await openPalette();
    using _log = log;
    await user.keyboard('theme da');
    expect(options()).toEqual([' Dark theme']);
    await user.keyboard('xyz');
    expect(screen.getByText('No results.')).toBeInTheDocument();
  });
});
