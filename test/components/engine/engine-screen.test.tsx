import { act, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { EngineScreen } from '@/components/engine/engine-screen';
import { liveKey } from '@/components/live/live-query';
import type { WindowSnapshot } from '@/lib/contract/live';
import type { ControllerView, EngineRow, PollView } from '@/lib/contract/system-rows';
import { showScreen } from '@/test/support/screen';

// jsdom has no pointer capture, which menus ask for.
Element.prototype.hasPointerCapture ??= () => false;
Element.prototype.scrollIntoView ??= () => {};

/** The page of an engine that differs from that of the scene. */
async function showEngine(change: (engine: EngineRow) => Partial<EngineRow> = () => ({})): Promise<void> {
  const { queries } = await showScreen(<EngineScreen />, { topics: ['engine'] });
  act(() =>
    queries.setQueryData<WindowSnapshot<EngineRow>>(
      liveKey('engine'),
      (window) => window && { ...window, rows: window.rows.map((row) => ({ ...row, ...change(row) })) },
    ),
  );
}

const table = (name: string) => screen.getByRole('table', { name });
/** A row of a table by its heads. */
function cellsOf(name: string, row: number): Readonly<Record<string, string>> {
  const heads = within(table(name))
    .getAllByRole('columnheader')
    .map(({ textContent }) => textContent);
  const cells = within(within(table(name)).getAllByRole('row')[row + 1] ?? table(name)).getAllByRole('cell');
  return Object.fromEntries(cells.map(({ textContent }, at) => [heads[at], textContent]));
}

/** What is said of the turns of the event loop. */
async function sentencesOfTurns(): Promise<readonly (string | null)[]> {
  const first = await screen.findByText(/^Event loop/);
  return [...(first.parentElement?.children ?? [])].slice(1).map(({ textContent }) => textContent);
}

describe('the page of the engine', () => {
  it('[issue 12.4] tells a repository that is cloned for the first time from one that keeps failing, also where it was never fetched', async () => {
    const mirror = { id: 'https://git.example.com/new.git', state: 'new', why: 'out', fetchedAt: null, nextAt: null } as const;
    const named = (id: string, failures: number) => ({ ...mirror, id, failures });
    await showEngine(({ charts }) => ({ charts: charts && { ...charts, mirrors: [named('coming', 0), named('failing', 3)] } }));
    await screen.findByText('failing');
    const lines = within(screen.getByRole('list', { name: 'Chart repositories' })).getAllByRole('listitem');
    expect(lines.map(({ textContent }) => textContent)).toEqual([
      expect.stringMatching(/^Cloningcomingnever fetched/) as string,
      expect.stringMatching(/^Unavailablefailingnever fetched.*out$/) as string,
    ]);
  });

  it('[issue 14.3] hides columns of one table, and leaves those of the others', async () => {
    localStorage.clear();
    const user = userEvent.setup();
    await showEngine();
    const heads = (name: string) =>
      within(table(name))
        .getAllByRole('columnheader')
        .map(({ textContent }) => textContent);
    const watches = heads('Watches');
    await user.click(screen.getByRole('button', { name: 'Columns and density of Controllers' }));
    await user.click(await screen.findByRole('menuitemcheckbox', { name: 'Active' }));
    await user.keyboard('{Escape}');
    expect(heads('Controllers')).not.toContain('Active');
    expect(heads('Watches')).toEqual(watches);
    localStorage.clear();
  });

  it('[issue 9.3] tells of each engine whether it does its work, and of one that nothing is configured for the flag that does', async () => {
    await showEngine();
    const engines = within(screen.getByRole('list', { name: 'Engines' }))
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent);
    expect(engines).toEqual([
      'Applications Active',
      'Rollouts Active',
      'Helm releases Not configuredNo chart repository is configured; --git-url or SLIPWAY_GIT_URL names one.',
    ]);
  });

  it.each([
    [
      'as fast as it should be',
      { longestMs: 38, longPercent: 0.2 },
      'Event loop: longest turn 38 ms in the last minute, 0.2% of the time in turns over 50 ms',
    ],
    [
      'slow by one long turn',
      { longestMs: 1200, longPercent: 0.9 },
      'Event loop slow: longest turn 1.2 s in the last minute, 0.9% of the time in turns over 50 ms',
    ],
    [
      'slow by many',
      { longestMs: 90, longPercent: 4 },
      'Event loop slow: longest turn 90 ms in the last minute, 4% of the time in turns over 50 ms',
    ],
  ])(
    '[issue 10.4] says how long everybody waits for one thing, and no cause where the system tells none: %s',
    async (_how, turns, sentence) => {
      await showEngine(() => ({ eventLoop: { ...turns, split: null } }));
      expect(await sentencesOfTurns()).toEqual([sentence]);
    },
  );

  it.each([
    [
      'a machine with time for it',
      { workMs: 38, longWorkPercent: 0.2, waitMs: 9, waitPercent: 0.1, blockedMs: 2 },
      ['Event loop: longest turn 38 ms of work in the last minute, 0.2% of the time in turns over 50 ms'],
    ],
    [
      'a turn that waits a little',
      { workMs: 38, longWorkPercent: 0.2, waitMs: 60, waitPercent: 2, blockedMs: 2 },
      [
        'Event loop: longest turn 38 ms of work in the last minute, 0.2% of the time in turns over 50 ms',
        'Waited up to 60 ms for a processor in one turn, 2% of the time',
      ],
    ],
    [
      'a machine without time for it',
      { workMs: 96, longWorkPercent: 0.3, waitMs: 380, waitPercent: 9, blockedMs: 129 },
      [
        'Event loop: longest turn 96 ms of work in the last minute, 0.3% of the time in turns over 50 ms',
        'Short of CPU: waited up to 380 ms for a processor in one turn, 9% of the time',
      ],
    ],
    [
      'many small waits',
      { workMs: 20, longWorkPercent: 0, waitMs: 30, waitPercent: 24, blockedMs: 0 },
      [
        'Event loop: longest turn 20 ms of work in the last minute, 0% of the time in turns over 50 ms',
        'Short of CPU: waited up to 30 ms for a processor in one turn, 24% of the time',
      ],
    ],
    [
      'work that takes long',
      { workMs: 1200, longWorkPercent: 0.9, waitMs: 0, waitPercent: 0, blockedMs: 0 },
      ['Event loop slow: longest turn 1.2 s of work in the last minute, 0.9% of the time in turns over 50 ms'],
    ],
    [
      'a disk that takes long',
      { workMs: 20, longWorkPercent: 0, waitMs: 0, waitPercent: 0, blockedMs: 240 },
      [
        'Event loop: longest turn 20 ms of work in the last minute, 0% of the time in turns over 50 ms',
        'Blocked up to 240 ms in one turn: disk, swap or host',
      ],
    ],
  ])('[issue 10.4] judges work alone as slow, and tells apart what else made a turn long: %s', async (_what, split, sentences) => {
    await showEngine(() => ({ eventLoop: { longestMs: 1400, longPercent: 15, split } }));
    expect(await sentencesOfTurns()).toEqual(sentences);
  });

  it('[issue 10.6] says why a replica that holds the Lease acts on nothing, and does not say that it leads', async () => {
    const failure = { since: '2026-11-20T09:29:00Z', reason: 'etcdserver: mvcc: database space exceeded' };
    const shards = [{ index: 0, holder: 'here', mine: false }];
    await showEngine(() => ({ leader: false, leadership: { identity: 'here', holder: 'here', since: null, inForce: 1, shards, failure } }));
    expect(await screen.findByText(/^This replica holds the Lease, but it was not renewed in time/)).toBeVisible();
    expect(screen.getByText(/^The Leases could not be read or written/)).toHaveTextContent(
      /: Etcdserver: mvcc: database space exceeded\.$/,
    );
    expect(screen.queryByText(/leads/)).toBeNull();
  });

  it('[issue 9.1] calls a controller that waits for rights waiting, and keeps its last error apart', async () => {
    const waitsFor: ControllerView['waitsFor'] = [{ kind: 'Application', reason: 'applications.core.oam.dev is forbidden' }];
    await showEngine(({ controllers }) => ({
      controllers: controllers.map((one) => (one.name === 'application' ? { ...one, waitsFor } : one)),
    }));
    await screen.findByRole('columnheader', { name: 'Waiting for' });
    expect(cellsOf('Controllers', 0)).toMatchObject({
      'Last error': '–',
      'Waiting for': 'Not started: Application objects cannot be listed. applications.core.oam.dev is forbidden.',
    });
    expect(cellsOf('Controllers', 1)).toMatchObject({
      'Last error': expect.stringContaining('conflict: the object changed'),
      'Waiting for': '–',
    });
  });

  it('[issue 10.1] says of a controller that may read some namespaces in which it waits', async () => {
    const waitsFor: ControllerView['waitsFor'] = [{ kind: 'Secret', reason: 'secrets is forbidden', namespaces: ['shop', 'crm'] }];
    await showEngine(({ controllers }) => ({
      controllers: controllers.map((one) => (one.name === 'application' ? { ...one, waitsFor } : one)),
    }));
    await screen.findByRole('columnheader', { name: 'Waiting for' });
    expect(cellsOf('Controllers', 0)).toMatchObject({
      'Waiting for': 'Waiting in namespaces crm, shop: Secret objects cannot be listed there. Secrets is forbidden.',
    });
  });

  it('[issue 9.1] has no column for waiting while nothing waits', async () => {
    await showEngine();
    expect(Object.keys(cellsOf('Controllers', 0))).not.toContain('Waiting for');
  });

  it('[issue 9.1] tells of each poll its groups, LISTs, duration, age and last error, in the table and on narrow screens', async () => {
    const round = { at: '2026-11-20T09:29:50Z', groups: 1, lists: 2, gets: 3, tookMs: 1250, lastError: 'the server is overloaded' };
    const poll: PollView = {
      key: 'v1/Pod',
      kind: 'Pod',
      apiVersion: 'v1',
      verb: 'watch',
      reason: 'pods is forbidden',
      everyMs: 10_000,
      round,
    };
    await showEngine(() => ({ polls: [poll] }));
    await screen.findByRole('table', { name: 'Polls' });
    const told = {
      Kind: 'Pod',
      Groups: '1',
      LISTs: '2',
      GETs: '3',
      Duration: '1.3 s',
      'Last poll': expect.stringMatching(/ago, every 10s$/),
      'Last error': 'the server is overloaded',
    };
    expect(cellsOf('Polls', 0)).toEqual({ ...told, Why: 'watch refused: pods is forbidden' });
    const [card] = within(screen.getByRole('list', { name: 'Polls' })).getAllByRole('listitem');
    expect(card).toHaveTextContent(
      /^Pod.*ago, every 10s.*1 group, 2 LISTs, 3 GETs in 1.3 s.*watch refused: pods is forbidden.*Last error: the server is overloaded$/,
    );
  });
});
