import { act, screen, within } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { liveKey } from '@/components/live/live-query';
import { RolloutScreen } from '@/components/rollouts/rollout-screen';
import type { WindowSnapshot } from '@/lib/contract/live';
import type { RolloutDetail } from '@/lib/contract/rollout-rows';
import { DECISION_VERBS } from '@/lib/contract/stage-decision';
import { answerFetch, showScreen } from '@/test/support/screen';
import { changeRows } from './change-rows';

const answers = { 'GET /api/v1/namespaces/shop/rollouts/web/rights': () => Response.json({}) };
const NOTHING_REFUSED = Object.fromEntries(DECISION_VERBS.map((verb) => [verb, null]));
const TOPIC = 'rollout/shop/web';
const past = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();

/** The page of the rollout as it is once it says so. */
async function show(over: Partial<RolloutDetail>): Promise<void> {
  const { queries } = await showScreen(<RolloutScreen ns="shop" name="web" />, { topics: [TOPIC] });
  await changeRows<RolloutDetail>(queries, TOPIC, over);
}
const head = () => screen.getByText('availability, 20% per stage').parentElement as HTMLElement;
const why = (name = 'Why it is waiting') => within(screen.getByRole('region', { name }));

it('[issue 14] says once by a live region that a rollout does something else, and not each count that moves on', async () => {
  using _log = answerFetch(answers);
  const { queries } = await showScreen(<RolloutScreen ns="shop" name="web" />, { topics: [TOPIC] });
  const said = () =>
    within(screen.getByRole('region', { name: /^(Why it is waiting|What is happening)$/ })).getByRole('status').textContent;
  const sentence = (text: string) => ({ sentence: text, clauses: [] });
  expect(said()).toBe('');
  await changeRows<RolloutDetail>(queries, TOPIC, { wait: sentence('Stage 3 needs 6 ready replicas, has 5.') });
  expect(said()).toBe('');
  await changeRows<RolloutDetail>(queries, TOPIC, { activity: 'idle', wait: sentence('All traffic goes to web-v4') });
  expect(said()).toBe('Now: Idle, 2 of 5 stages done');
  await changeRows<RolloutDetail>(queries, TOPIC, { wait: sentence('All traffic still goes to web-v4') });
  expect(said()).toBe('Now: Idle, 2 of 5 stages done');
});

it('[issue 14] says what is deleted at the end also of a rollout in progress that no application made', async () => {
  using _log = answerFetch(answers);
  await show({ application: null, garbage: null });
  expect(screen.getByText('This rollout belongs to no application, so nothing is deleted.')).toBeInTheDocument();
  expect(screen.queryByText(/^While a rollout is in progress/)).toBeNull();
});

describe('the head of a rollout', () => {
  it.each([
    ['drive', []],
    ['observe', ['Observing only']],
    ['stopped', ['Stopped']],
  ] as const)('[issue 9.3] says who drives where that is not this engine: %s', async (mode, said) => {
    using _log = answerFetch(answers);
    await show({ engine: { mode, why: mode === 'drive' ? null : 'Another drives.' } as RolloutDetail['engine'] });
    expect(['Observing only', 'Stopped'].filter((word) => screen.queryByText(word) !== null)).toEqual(said);
  });

  it('[design 9] goes from one revision to the next, for how long, and to its application', async () => {
    using _log = answerFetch(answers);
    await show({ startedAt: past(425) });
    expect(head()).toHaveTextContent(/web-v3\s*web-v4availability, 20% per stage.*for \d+m/);
    expect(within(head()).getByRole('link', { name: 'Application storefront' })).toHaveAttribute('href', '/applications/shop/storefront');
  });

  it('[design 9] at rest says when it started, of the first revision that there was nothing before, and leaves out what there is not', async () => {
    using _log = answerFetch(answers);
    await show({ activity: 'idle', from: null, startedAt: past(425) });
    expect(head()).toHaveTextContent(/nothing\s*web-v4.*started \d+m ago/);
    await show({ startedAt: null, application: null });
    expect(screen.getAllByRole('link', { name: 'Application storefront' })).toHaveLength(1);
    expect(screen.getAllByText(/^started/)).toHaveLength(1);
  });
});

describe('the page of a rollout', () => {
  it('[issue 9.3] shows the attempt that is chosen', async () => {
    using _log = answerFetch(answers);
    await show({});
    act(() => screen.getByRole('button', { name: 'Rollout to web-v4, aborted' }).click());
    expect(screen.getByRole('heading', { name: 'Rollout to web-v4, aborted' })).toBeInTheDocument();
  });

  it('[design 9] has its name, the way back and room for its panels before anything was read', async () => {
    using _log = answerFetch({}, () => new Promise(() => undefined));
    await showScreen(<RolloutScreen ns="shop" name="web" />);
    expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent(/^web$/);
    expect(screen.getByRole('status')).toHaveTextContent('Reading the rollout web in shop.');
    expect([...document.querySelectorAll('section')].map((panel) => panel.querySelectorAll('.animate-shimmer').length)).toEqual([
      6, 12, 18,
    ]);
  });

  it('[design 9] leads back to all rollouts, and to those of its namespace', async () => {
    using _log = answerFetch(answers);
    await show({});
    const breadcrumbs = within(screen.getByRole('navigation')).getAllByRole('link');
    expect(breadcrumbs.map((link) => `${link.textContent} ${link.getAttribute('href')}`)).toEqual([
      'Rollouts /rollouts',
      'shop /rollouts?ns=shop',
    ]);
  });

  it('[design 9] that is gone says so, under its name', async () => {
    const { queries } = await showScreen(<RolloutScreen ns="shop" name="web" />, { topics: [TOPIC] });
    await act(async () => {
      queries.setQueryData<WindowSnapshot<RolloutDetail>>(liveKey(TOPIC), (window) => window && { ...window, rows: [], total: 0 });
      await new Promise((resolve) => setImmediate(resolve));
      await new Promise((resolve) => setTimeout(resolve));
    });
    expect(screen.getByText('Rollout web in shop no longer exists')).toBeVisible();
    expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('web');
    expect(screen.queryByRole('region')).toBeNull();
  });

  it('[issue 9.3] goes back to the present attempt once the one that is looked at is not kept any more', async () => {
    using _log = answerFetch(answers);
    const { queries } = await showScreen(<RolloutScreen ns="shop" name="web" />, { topics: [TOPIC] });
    act(() => screen.getByRole('button', { name: 'Rollout to web-v4, aborted' }).click());
    const window = queries.getQueryData<WindowSnapshot<RolloutDetail>>(liveKey(TOPIC));
    await changeRows<RolloutDetail>(queries, TOPIC, { attempts: window?.rows[0]?.attempts.slice(0, 1) ?? [] });
    expect(screen.getByRole('heading', { name: 'Stage 2 of 5' })).toBeVisible();
  });

  it('[design 9] has lanes only where there are revisions', async () => {
    using _log = answerFetch(answers);
    await show({});
    expect(screen.getAllByRole('heading', { name: 'Replicas and traffic' })).toHaveLength(1);
    await show({ revisions: [] });
    expect(screen.getAllByRole('heading', { name: 'Replicas and traffic' })).toHaveLength(1);
  });

  it.each(['aborting', 'aborted'] as const)('[issue 9.3] %s, it promises no deletion any more', async (activity) => {
    using _log = answerFetch(answers);
    await show({ activity });
    expect(screen.queryByRole('heading', { name: 'At the end' })).toBeNull();
  });

  it('[issue 9.4] tells what its end deletes, in red where something goes, with the way to each object', async () => {
    using _log = answerFetch(answers);
    await show({});
    const panel = screen.getByRole('heading', { name: 'At the end' }).closest('section') as HTMLElement;
    expect(panel).toHaveTextContent('At the end of the rollout 2 objects are deleted, 1 is held back, 4 are kept or handed over.');
    expect(panel.querySelector('svg')).toHaveClass('text-bad');
    expect(within(panel).getByRole('link', { name: 'See object by object' })).toHaveAttribute(
      'href',
      '/trackers/storefront-v3-shop/compare/storefront-v4-shop',
    );
  });

  it('[issue 9.4] where nothing goes is not in red, and what cannot be compared has no way there', async () => {
    using _log = answerFetch(answers);
    await show({ garbage: { digest: 'd', deleted: 0, held: 0, kept: 1, from: null, to: 'storefront-v4-shop' } });
    const panel = screen.getByRole('heading', { name: 'At the end' }).closest('section') as HTMLElement;
    expect(panel.querySelector('svg')).toHaveClass('text-ink-3');
    expect(within(panel).queryByRole('link')).toBeNull();
  });

  it('[issue 9.4] without a newer tracker has no way to a comparison', async () => {
    using _log = answerFetch(answers);
    await show({ garbage: { digest: 'd', deleted: 1, held: 0, kept: 1, from: 'storefront-v3-shop', to: null } });
    const panel = screen.getByRole('heading', { name: 'At the end' }).closest('section') as HTMLElement;
    expect(panel.querySelector('svg')).toHaveClass('text-bad');
    expect(within(panel).queryByRole('link')).toBeNull();
  });

  it('[issue 9.4] while nothing is under way says where it will stand', async () => {
    using _log = answerFetch(answers);
    await show({ garbage: null });
    expect(screen.getByText(/While a rollout is in progress, this shows what it deletes/)).toBeInTheDocument();
  });
});

describe('why a rollout waits', () => {
  it.each([
    ['waiting', 'Why it is waiting', 'bg-warn'],
    ['paused', 'Why it is waiting', 'bg-warn'],
    ['held', 'Why it is waiting', 'bg-warn'],
    ['rolling-out', 'What is happening', 'bg-busy'],
    ['aborting', 'What is happening', 'bg-bad'],
    ['aborted', 'What is happening', 'bg-bad'],
    ['idle', 'What is happening', 'bg-line-strong'],
  ] as const)('[design 9] %s is told as it is, with an edge of its colour', async (activity, title, edge) => {
    using _log = answerFetch(answers);
    await show({ activity });
    const panel = screen.getByRole('region', { name: title });
    expect(panel.querySelector(':scope > span')).toHaveClass(edge);
  });

  it.each(['idle', 'aborted'] as const)(
    '[design 14] a looser policy at rest (%s) is a wait: edge, word and title say so',
    async (activity) => {
      using _log = answerFetch(answers);
      const loosening = { fields: [{ field: 'control.gates', inForce: 'every-stage', requested: 'none' }], given: [] };
      await show({ activity, loosening });
      expect(screen.getByRole('region', { name: 'Why it is waiting' }).querySelector(':scope > span')).toHaveClass('bg-warn');
      expect(screen.queryByText(/^Approvals/)).toBeNull();
    },
  );

  it('[design 14] beside what else is told, a looser policy changes nothing of that', async () => {
    using _log = answerFetch(answers);
    const loosening = { fields: [{ field: 'control.gates', inForce: 'every-stage', requested: 'none' }], given: [] };
    await show({ activity: 'aborting', loosening });
    expect(screen.getByRole('region', { name: 'What is happening' }).querySelector(':scope > span')).toHaveClass('bg-bad');
    expect(screen.getByText(/^Approvals/)).toBeInTheDocument();
  });

  it.each<[string, Partial<RolloutDetail>, RegExp | null]>([
    ['that is to come', { deadline: past(-500) }, /^deadline in \d+m( \d+s)?$/],
    ['that is behind', { deadline: past(480) }, /^deadline passed \d+m ago$/],
    ['that cannot be read', { deadline: 'some day' }, /^deadline in/],
    ['that there is not', { deadline: null }, null],
    ['of a rollout at rest', { deadline: past(-480), activity: 'idle' }, null],
    ['of one that was aborted', { deadline: past(-480), activity: 'aborted' }, null],
  ])('[design 9] a deadline %s', async (_what, over, said) => {
    using _log = answerFetch(answers);
    await show(over);
    const found = screen.queryByText(/^deadline/);
    if (said === null) expect(found).toBeNull();
    else expect(found).toHaveTextContent(said);
    expect(found?.classList.contains('text-warn') ?? false).toBe(said?.source.includes('passed') ?? false);
  });

  it('[design 9] a deadline is behind in the very moment that it is reached', async () => {
    using _log = answerFetch(answers);
    const now = Date.now();
    using _clock = vi.spyOn(Date, 'now').mockReturnValue(now);
    await show({ deadline: new Date(now).toISOString() });
    expect(screen.getByText(/^deadline/)).toHaveTextContent('deadline passed now');
  });

  it('[design 9] tells met conditions from those that are not by word, shape and colour', async () => {
    using _log = answerFetch(answers);
    await show({});
    const items = within(why().getByRole('list', { name: 'Conditions' })).getAllByRole('listitem');
    const looks = items.map((item) => {
      const icon = item.querySelector('svg');
      const shape = /lucide-circle-(check|dashed)/.exec(icon?.getAttribute('class') ?? '')?.[1];
      return [/\(.*\)$/.exec(item.textContent)?.[0], shape, icon?.classList.contains('text-good'), item.classList.contains('text-ink-3')];
    });
    expect(looks).toEqual([
      ['(met)', 'check', true, true],
      ['(met)', 'check', true, true],
      ['(not met yet)', 'dashed', false, false],
      ['(met)', 'check', true, true],
    ]);
  });

  it('[design 9] has no empty list of conditions', async () => {
    using _log = answerFetch(answers);
    await show({ wait: { sentence: 'It waits.', clauses: [] } });
    expect(screen.queryByRole('list', { name: 'Conditions' })).toBeNull();
  });

  it('[issue 9.3] a rejected revision that is kept is told to serve on where the sentence above does not say it', async () => {
    using _log = answerFetch(answers);
    const abort = {
      rejected: 'web-v4',
      stable: ['web-v3'],
      reason: 'errors',
      at: null,
      isReturned: false,
      keptUntil: '2099-01-01T00:00:00Z',
    };
    await show({ activity: 'aborted', abort, wait: { sentence: 'It was aborted.', clauses: [] } });
    expect(screen.getByText(/^web-v4 still serves,/)).toHaveTextContent(/more$/);
  });
});

describe('the approvals of a rollout', () => {
  const approvals = (over: Partial<RolloutDetail['approvals']>): RolloutDetail['approvals'] => ({
    required: 2,
    groups: [],
    requester: null,
    requesterMayApprove: true,
    given: [],
    votes: [],
    ...over,
  });
  const mara = { user: 'mara', at: past(62) };
  const panel = () => screen.queryByText(/^Approvals/)?.parentElement ?? null;

  it.each<[string, Partial<RolloutDetail>, string | null]>([
    ['while it waits', { approvals: approvals({}) }, 'Approvals 0 of 2not given yetnot given yet'],
    [
      'from whom they are wanted',
      { approvals: approvals({ groups: ['sre', 'leads'], given: [mara] }) },
      'Approvals 1 of 2mara ago not given yet, from sre or leads',
    ],
    [
      'more than are needed',
      { approvals: approvals({ required: 1, given: [mara, { user: 'tom', at: past(62) }] }) },
      'Approvals 2 of 1mara ago tom ago ',
    ],
    [
      'votes to go past the gate otherwise',
      { approvals: approvals({ required: 1, votes: [{ verb: 'advance', ...mara }] }) },
      'Approvals 0 of 1not given yetmara voted to advance ago ',
    ],
    [
      'who requested it',
      { approvals: approvals({ required: 1, requester: 'tom', requesterMayApprove: true }) },
      'Approvals 0 of 1not given yetRequested by tom.',
    ],
    [
      'that were given, while it moves',
      { activity: 'rolling-out', approvals: approvals({ given: [mara] }) },
      'Approvals 1 of 2mara ago not given yet',
    ],
    [
      'that were voted, while it moves',
      { activity: 'rolling-out', approvals: approvals({ required: 1, votes: [{ verb: 'advance', ...mara }] }) },
      'Approvals 0 of 1not given yetmara voted to advance ago ',
    ],
    ['not while it moves and nobody gave any', { activity: 'rolling-out', approvals: approvals({}) }, null],
    ['not where none is wanted', { approvals: approvals({ required: 0 }) }, null],
  ])('[design 5] are told: %s', async (_what, over, words) => {
    using _log = answerFetch(answers);
    await show(over);
    if (words === null) expect(panel()).toBeNull();
    else expect(panel()?.textContent.replace(/\d+m ago/g, ' ago ')).toBe(words);
  });

  it('[design 14] who made the policy stricter may take it back, which stands beneath', async () => {
    using _log = answerFetch(answers);
    await show({ tighteningUndo: { by: 'mara', until: past(-900) } });
    expect(screen.getByText(/mara made the policy stricter/)).toBeInTheDocument();
  });
});

it('[design 14] asks what a person may decide again once the approvals are others, and says why theirs would not count', async () => {
  let approved: string | null = null;
  using log = answerFetch({
    'GET /api/v1/namespaces/shop/rollouts/web/rights': () => Response.json({ ...NOTHING_REFUSED, approve: approved }),
  });
  const { queries } = await showScreen(<RolloutScreen ns="shop" name="web" />, { topics: [TOPIC] });
  const asked = () => log.sent.filter(({ url }) => url.endsWith('/rights')).length;
  const approvals = { required: 2, groups: [], requester: 'ann', requesterMayApprove: true, votes: [] };
  await changeRows<RolloutDetail>(queries, TOPIC, { approvals: { ...approvals, given: [] } });
  const before = asked();
  approved = 'you have already approved the gate after stage 1';
  await changeRows<RolloutDetail>(queries, TOPIC, { approvals: { ...approvals, given: [{ user: 'you', at: past(1) }] } });
  await vi.waitFor(() => expect(asked()).toBe(before + 1));
  await vi.waitFor(() => expect(screen.getByRole('button', { name: /^Approve/ })).toHaveAccessibleDescription(/already approved the gate/));
});
