import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { ActionBar } from '@/components/rollouts/action-bar';
import { AttemptsPanel } from '@/components/rollouts/attempts-panel';
import { HistoryPanel } from '@/components/rollouts/history-panel';
import { LooserPolicy, TighteningUndo } from '@/components/rollouts/looser-policy';
import { ReplicasTable } from '@/components/rollouts/replicas-table';
import { TONE_SOFT } from '@/components/ui/status/tone';
import type { ActionView, DecisionView, RolloutDetail } from '@/lib/contract/rollout-rows';
import { DECISION_VERBS } from '@/lib/contract/stage-decision';
import { rolloutDetail } from '@/test/support/fixture/rollouts';
import { backFrom } from '@/test/support/fixture/times';
import { answerFetch, showScreen } from '@/test/support/screen';

// What a screen shows of times goes by the clock of the browser.
const back = backFrom(Date.now());
const fixture = () => rolloutDetail(back);
const RIGHTS = 'GET /api/v1/namespaces/shop/rollouts/web/rights';
/** By which class each weight of a button is known. */
const MARK_OF = { primary: 'bg-accent-fill', warning: 'text-bad', secondary: 'text-ink' } as const;
const textsOf = (items: readonly HTMLElement[]) => items.map(({ textContent }) => textContent.replace(/\d+m ago/, 'ago'));

describe('the attempts of a rollout', () => {
  async function show(over: Partial<RolloutDetail> = {}, which = 0): Promise<readonly string[]> {
    const chosen: string[] = [];
    const rollout = { ...fixture(), ...over };
    await showScreen(<AttemptsPanel rollout={rollout} attempt={rollout.attempts[which]} onChoose={(key) => chosen.push(key)} />);
    return chosen;
  }
  const former = /^Rollout to web-v4 from web-v3, aborted after 1 stage/;

  it('[issue 9.3] are chosen from, the oldest first; the one that is looked at is pressed', async () => {
    const chosen = await show();
    const buttons = within(screen.getByRole('group', { name: 'Attempts' })).getAllByRole('button');
    expect(textsOf(buttons)).toEqual(['Rollout to web-v4, aborted', 'Retry of web-v4, in progress']);
    expect(buttons.map((one) => one.getAttribute('aria-pressed'))).toEqual(['false', 'true']);
    expect(buttons[0]?.title).toMatch(former);
    expect(buttons.map((one) => one.classList.contains('border-transparent'))).toEqual([true, false]);
    await userEvent.click(buttons[0] as HTMLElement);
    expect(chosen).toEqual(['a']);
  });

  it('[issue 9.3] the present one is told by its stage, estimates as such, with the replicas of now', async () => {
    await show({
      attempts: fixture().attempts.map((one) => ({
        ...one,
        stages: one.stages.map((stage) => (stage.index === 3 ? { ...stage, state: 'current' } : stage)),
      })),
    });
    expect(screen.getByRole('heading', { name: 'Stage 2 of 5' })).toBeInTheDocument();
    expect(screen.getByText(/^estimated/)).toBeInTheDocument();
    expect(screen.queryByText(former)).toBeNull();
    expect(document.querySelectorAll('[aria-current=step] rect')[1]).toHaveAttribute('width', '0%');
  });

  it('[issue 9.3] a former one is told by how it ended and when, without figures of now', async () => {
    const [present, past] = fixture().attempts;
    const moving = past?.stages.map((stage) => ({ ...stage, state: 'current' as const })) ?? [];
    await show({ attempts: present && past ? [present, { ...past, stages: moving }] : [] }, 1);
    expect(screen.getByRole('heading', { name: 'Rollout to web-v4, aborted' })).toBeInTheDocument();
    expect(screen.queryByText(/^estimated/)).toBeNull();
    expect(screen.getByText(/aborted after 0 stages/, { selector: 'p' })).toHaveTextContent(/Started \d+m ago, ended \d+m ago\.$/);
    expect([...document.querySelectorAll('[aria-current=step] rect:nth-child(2)')].map((bar) => bar.getAttribute('width'))).toEqual([
      '0%',
      '0%',
    ]);
  });

  it('[issue 9.3] counts what a former one completed on the way forward, and tells no end where it has none', async () => {
    const [present, past] = fixture().attempts;
    if (present === undefined || past === undefined) throw new Error('the fixture has two attempts');
    const stages = [...past.stages, { ...past.stages[0], way: 'back' as const, state: 'done' as const } as (typeof past.stages)[number]];
    await show({ attempts: [present, { ...past, from: [], stages, endedAt: null }] }, 1);
    expect(screen.getByText(/aborted after 1 stage/, { selector: 'p' })).toHaveTextContent(
      /^Rollout to web-v4, aborted after 1 stage\. Started \d+m ago\.$/,
    );
  });

  it.each<[string, Partial<RolloutDetail>]>([
    ['where the number of stages is known', { stageCountEstimated: false }],
    ['on the way back', { activity: 'aborting' }],
  ])('[issue 9.3] nothing is called estimated %s', async (_when, over) => {
    await show(over);
    expect(screen.queryByText(/^estimated/)).toBeNull();
  });

  it('[issue 9.3] an only one leaves nothing to choose, one without stages shows none, and where there is none nothing is shown', async () => {
    const [present] = fixture().attempts;
    await show({ attempts: present ? [present] : [] });
    expect(screen.queryByRole('group', { name: 'Attempts' })).toBeNull();
    await show({ attempts: present ? [{ ...present, stages: [] }] : [] });
    await show({ attempts: [] });
    expect(screen.getAllByRole('list', { name: 'Stages' })).toHaveLength(1);
  });
});

describe('what was decided', () => {
  const decisions = (over: Partial<DecisionView>) => [{ ...(fixture().decisions[0] as DecisionView), ...over }];
  async function show(rows: readonly DecisionView[]): Promise<readonly HTMLElement[]> {
    await showScreen(<HistoryPanel rollout={{ ...fixture(), decisions: [...rows] }} />);
    expect(textsOf(screen.getAllByRole('tab'))).toEqual(['Timeline6', `Decisions${rows.length}`]);
    await userEvent.click(screen.getByRole('tab', { name: /^Decisions/ }));
    return screen.queryAllByRole('listitem');
  }

  it('[design 9] is told with the stage, the person, what became of it, the reason and the answer', async () => {
    const [item] = await show(decisions({}));
    expect(item).toHaveTextContent(/^Approveafter stage 2bymaraAccepted\d+m ago.*Error rate flat for 10 minutes\.1 of 2 approvals$/);
    expect(screen.getByText('Accepted').parentElement).toHaveClass(TONE_SOFT.good);
    expect(screen.queryByText(/^Nobody has decided/)).toBeNull();
  });

  it('[design 9] leaves out what there is not', async () => {
    const [item] = await show(decisions({ stage: null, reason: null, message: '', phase: 'Rejected' }));
    expect(item).toHaveTextContent(/^ApprovebymaraRejected\d+m ago$/);
    expect(item?.querySelectorAll('p')).toHaveLength(0);
    expect(screen.getByText('Rejected').parentElement).toHaveClass(TONE_SOFT.bad);
  });

  it('[design 9] says that nobody has decided anything yet', async () => {
    expect(await show([])).toEqual([]);
    expect(screen.getByText('No decisions about this rollout yet.')).toBeInTheDocument();
  });
});

describe('a policy that is looser or was made stricter', () => {
  const fields = [{ field: 'control.gates', inForce: 'every-stage', requested: 'none' }];

  it.each([
    [2, [], 'A looser policy waits for 2 people'],
    [2, ['mara'], 'A looser policy waits for 1 more person'],
    [3, ['mara'], 'A looser policy waits for 2 more people'],
    [1, ['mara', 'tom'], 'A looser policy waits for 1 more person'],
  ])('[design 14] waits for as many people as are missing: %i wanted, given by %j', async (required, users, title) => {
    const given = users.map((user) => ({ user, at: back(62) }));
    await showScreen(<LooserPolicy loosening={{ fields, given }} required={required} isTold={false} />);
    expect(screen.getByRole('region', { name: title })).toHaveTextContent('Until then the stricter one applies.');
    expect(textsOf(screen.queryAllByRole('listitem'))).toEqual(users.map((user) => `${user}ago`));
    expect(textsOf(screen.getAllByRole('cell'))).toEqual(['every-stage', 'none']);
  });

  it('[design 14] tells each field by its path, beside what is in force and what is wanted', async () => {
    await showScreen(<LooserPolicy loosening={{ fields, given: [] }} required={2} isTold />);
    expect(screen.getByRole('row', { name: 'control.gates every-stage none' })).toBeVisible();
    expect(screen.getByRole('rowheader').textContent).toBe('control.gates');
    expect(screen.queryByRole('list')).toBeNull();
  });

  it('[design 14] is not told twice', async () => {
    await showScreen(<LooserPolicy loosening={{ fields, given: [] }} required={2} isTold />);
    expect(screen.getByRole('region', { name: 'What it loosens' })).not.toHaveTextContent('the stricter one applies');
  });

  it('[design 14] may be taken back as long as that holds, and not a word of it afterwards', async () => {
    await showScreen(<TighteningUndo by="mara" until={new Date(Date.now() + 95_000).toISOString()} />);
    expect(screen.getByText(/mara made the policy stricter/)).toHaveTextContent(/\d+s left$/);
    await showScreen(<TighteningUndo by="tom" until={back(1)} />);
    expect(screen.queryByText(/tom made/)).toBeNull();
    await showScreen(<TighteningUndo by="eve" until="some day" />);
    expect(screen.queryByText(/eve made/)).toBeNull();
  });

  it('[design 14] may not be taken back any more in the very moment that it ends', async () => {
    const now = Date.now();
    using _clock = vi.spyOn(Date, 'now').mockReturnValue(now);
    await showScreen(<TighteningUndo by="mara" until={new Date(now + 1).toISOString()} />);
    expect(screen.getByText(/mara made the policy stricter/)).toBeVisible();
    await showScreen(<TighteningUndo by="tom" until={new Date(now).toISOString()} />);
    expect(screen.queryByText(/tom made/)).toBeNull();
  });
});

describe('the replicas that a decision moves', () => {
  const row = { revision: 'web-v4', now: 1, next: 2, end: 3, exact: 'exactly' } as const;
  const show = async (over: Partial<ActionView>) =>
    await showScreen(<ReplicasTable action={{ replicas: [row], peak: null, verb: 'approve', ...over }} />);

  it.each([
    ['exactly', '3'],
    ['atLeast', 'at least 3'],
    ['atMost', 'at most 3'],
  ] as const)('[design 1] are told now, next and at the end: %s', async (exact, end) => {
    await show({ replicas: [{ ...row, exact }] });
    expect(textsOf(screen.getAllByRole('cell'))).toEqual(['1', '2', end]);
    expect(screen.queryByText(/at once/)).toBeNull();
  });

  it.each([
    ['approve', 'At most 12 run at once along the way.'],
    ['abort', 'At most 12 run at once on the way back.'],
  ] as const)('[design 1] to %s tells how many run at once at most', async (verb, sentence) => {
    await show({ peak: 12, verb });
    expect(screen.getByText(sentence)).toBeInTheDocument();
  });

  it('[design 1] are no table where there are none', async () => {
    await show({ replicas: [] });
    expect(screen.queryByRole('region', { name: 'Replicas' })).toBeNull();
  });
});

describe('the row of actions', () => {
  async function show(actions: readonly ActionView[], over: Partial<RolloutDetail> = {}): Promise<(name: string) => HTMLElement> {
    const rollout = { ...fixture(), actions: [...actions], ...over };
    await showScreen(<ActionBar rollout={rollout} staleness={null} />, { topics: ['rollout/shop/web'] });
    return (name) => within(screen.getByRole('group', { name: 'Actions' })).getByRole('button', { name });
  }
  const all = fixture().actions;
  const weightOf = (button: HTMLElement) =>
    (['primary', 'warning', 'secondary'] as const).find((look) => button.classList.contains(MARK_OF[look]));

  it('[design 9] gives weight to what leads on, and the colour of a warning to what goes back', async () => {
    const extra = (['resume', 'retry', 'loosen'] as const).map((verb) => ({ ...(all[0] as ActionView), verb }));
    const button = await show([...all.filter(({ verb }) => verb !== 'pause'), ...extra]);
    const names = ['Approve', 'Resume', 'Advance', 'Promote fully', 'Retry', 'Abort', 'Roll back', 'Loosen policy'];
    expect(names.map((name) => `${name} ${weightOf(button(name))}`)).toEqual([
      'Approve primary',
      'Resume primary',
      'Advance secondary',
      'Promote fully secondary',
      'Retry secondary',
      'Abort warning',
      'Roll back warning',
      'Loosen policy warning',
    ]);
    expect(screen.queryByText('No actions are available now.')).toBeNull();
    expect(screen.getByRole('group', { name: 'Actions' }).querySelector('p')).toBeNull();
  });

  it('[design 9] what leads on stands back while it cannot be done, and what warns goes on warning', async () => {
    const not = (one: ActionView) => (one.verb === 'approve' || one.verb === 'abort' ? { ...one, allowed: false, why: 'Not yet.' } : one);
    const button = await show(all.map(not));
    expect(button('Approve')).toHaveAccessibleDescription('Not yet.');
    expect(['Approve', 'Abort', 'Pause'].map((name) => weightOf(button(name)))).toEqual(['secondary', 'warning', 'secondary']);
  });

  it('[issue 9] keeps its look while the rights are being read, so that nothing flickers', async () => {
    await showScreen(<ActionBar rollout={fixture()} staleness={null} />, { topics: ['rollout/shop/web'], rights: 'asked' });
    expect(weightOf(screen.getByRole('button', { name: 'Approve' }))).toBe('primary');
  });

  it('[design 8] a sentence that keeps from all of it stands above them once; what the state refuses does not count', async () => {
    const sentence = 'Ask for the role approver.';
    using _log = answerFetch({ [RIGHTS]: () => Response.json(Object.fromEntries(DECISION_VERBS.map((verb) => [verb, sentence]))) });
    await showScreen(<ActionBar rollout={fixture()} staleness={null} />, { topics: ['rollout/shop/web'], rights: 'asked' });
    expect(await screen.findByText(sentence, { selector: 'fieldset > p' })).toBeInTheDocument();
  });

  it('[design 9] says so where nothing is left to decide', async () => {
    await showScreen(<ActionBar rollout={{ ...fixture(), actions: [], activity: 'idle' }} staleness={null} />, {
      topics: ['rollout/shop/web'],
    });
    expect(screen.getByText('No actions are available now.')).toBeInTheDocument();
    expect(screen.queryAllByRole('button')).toEqual([]);
  });
});
