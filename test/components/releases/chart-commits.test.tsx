import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { ReleaseScreen } from '@/components/releases/release-screen';
import { backFrom } from '@/test/support/fixture/times';
import { answerFetch, SCREEN_NOW, showScreen } from '@/test/support/screen';

const back = backFrom(SCREEN_NOW);
const RELEASE = '/api/v1/namespaces/pay/releases/ledger';
const NEW = 'ab'.repeat(20);
const commit = (name: string, state: string, subject: string) => ({ commit: name, state, subject, author: 'Ada', at: back(3600) });
const commits = (list: readonly object[], { more = false, why = null as string | null } = {}) => ({
  [`GET ${RELEASE}/commits`]: () => Response.json({ head: NEW, commits: list, more, why }),
});
const changed = { apiVersion: 'apps/v1', kind: 'Deployment', ns: 'pay', name: 'ledger', change: 'changed' };
const hidden = { apiVersion: 'v1', kind: 'ConfigMap', ns: 'pay', name: 'settings', change: 'created', diff: null };
const told = {
  commit: NEW,
  from: 4,
  values: [],
  valuesDiffer: false,
  hidesValues: true,
  objects: [{ ...changed, diff: [{ sign: '+', text: 'replicas: 2' }] }, hidden],
  notes: null,
};

async function open(answers: Parameters<typeof answerFetch>[0]) {
  const log = answerFetch(answers);
  await showScreen(<ReleaseScreen place={{ ns: 'pay', kind: 'helmrelease', name: 'ledger' }} />, {
    topics: ['release/pay/helmrelease/ledger'],
  });
  const user = userEvent.setup();
  await user.click(await screen.findByRole('tab', { name: 'Commits' }));
  return { log, user };
}

describe('the commits of a chart', () => {
  it('[issue 12.4] have a chart rendered only once somebody opens one, and then tell object by object what it would change', async () => {
    const answers = {
      ...commits([commit(NEW, 'waiting', 'ledger: two replicas'), commit('ac'.repeat(20), 'taken', 'ledger: begin')], { more: true }),
    };
    const { log, user } = await open({ ...answers, [`GET ${RELEASE}/commits/${NEW}`]: () => Response.json(told) });
    using _answers = log;
    const panel = await screen.findByRole('tabpanel');
    const [waiting, taken] = await within(panel).findAllByRole('listitem');
    expect([waiting?.textContent, taken?.textContent]).toEqual([
      expect.stringMatching(/^Waitingledger: two replicasabababab by Ada/),
      expect.stringMatching(/^Releasedledger: begin/),
    ]);
    expect(panel).toHaveTextContent('Older commits are in the repository.');
    await user.click(within(panel).getByRole('button', { name: 'Show changes of abababab' }));
    const changes = await within(panel).findByRole('region', { name: 'What commit abababab would change' });
    expect(await within(changes).findByText('replicas: 2')).toBeVisible();
    expect(changes).toHaveTextContent('Compared with stored revision 4.');
    expect(changes).toHaveTextContent('settings in payYou may not see this object.');
    expect(within(panel).getByRole('button', { name: 'Hide changes of abababab' })).toHaveAttribute('aria-expanded', 'true');
  });

  it('[issue 12.4] tell which objects get another name at each render, and that they are released too', async () => {
    const renamed = { apiVersion: 'v1', kind: 'ConfigMap', ns: 'pay', name: null, paths: [] };
    const { log, user } = await open({
      ...commits([commit(NEW, 'waiting', 'ledger: two replicas')]),
      [`GET ${RELEASE}/commits/${NEW}`]: () => Response.json({ ...told, nondeterministic: [renamed] }),
    });
    using _answers = log;
    await user.click(await screen.findByRole('button', { name: 'Show changes of abababab' }));
    const section = await screen.findByRole('region', { name: 'Different each time' });
    expect(section).toHaveTextContent('These objects get a new name at each render; they are released too.');
    expect(section).not.toHaveTextContent(/plan/);
  });

  it('[issue 12.4] say that git cannot tell where it cannot, and why', async () => {
    const { log } = await open(commits([commit(NEW, 'unknown', 'ledger: rewritten')], { why: 'fatal: bad object acacacac' }));
    using _answers = log;
    expect(await screen.findByText(/^Git cannot tell which of these .*: fatal: bad object acacacac$/)).toBeVisible();
  });

  it('[issue 12.3] tell why they cannot be read', async () => {
    const message = 'only the replica that holds the Lease reconciles releases; try again once this one holds it';
    const { log } = await open({
      [`GET ${RELEASE}/commits`]: () => Response.json({ error: { code: 'unavailable', message } }, { status: 503 }),
    });
    using _answers = log;
    expect(
      await screen.findByText(/only the replica that holds the Lease reconciles releases; try again once this one holds it/i),
    ).toBeVisible();
  });
});
