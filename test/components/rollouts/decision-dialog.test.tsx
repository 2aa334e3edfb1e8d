import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { liveKey } from '@/components/live/live-query';
import { DecisionDialog } from '@/components/rollouts/decision-dialog';
import { RolloutScreen } from '@/components/rollouts/rollout-screen';
import type { ActionView } from '@/lib/contract/rollout-rows';
import { DECISION_VERBS } from '@/lib/contract/stage-decision';
import { saving } from '@/test/support/fixture/changes';
import { rolloutDetail } from '@/test/support/fixture/rollouts';
import { backFrom } from '@/test/support/fixture/times';
import { garbage } from '@/test/support/fixture/trackers';
import type { ScreenOptions } from '@/test/support/screen';
import { answerFetch, SCREEN_NOW, showScreen } from '@/test/support/screen';

const ROLLOUT = '/api/v1/namespaces/shop/rollouts/web';
const rights = (sentence: string | null) => Object.fromEntries(DECISION_VERBS.map((verb) => [verb, sentence]));
const accepted = () => Response.json({ accepted: { kind: 'StageDecision', ns: 'shop', name: 'web-x', uid: null } }, { status: 202 });
const answers = {
  [`GET ${ROLLOUT}/rights`]: () => Response.json(rights(null)),
  [`GET ${ROLLOUT}/garbage`]: () => Response.json(garbage()),
  [`POST ${ROLLOUT}/decisions`]: accepted,
};

const showRollout = (options: ScreenOptions = {}) =>
  showScreen(<RolloutScreen ns="shop" name="web" />, { topics: ['rollout/shop/web'], ...options });

describe('a decision', () => {
  it('[design 5] is made by keyboard alone: open, read what happens and what is deleted, give a reason, send', async () => {
    using log = answerFetch(answers);
    await showRollout();
    const user = userEvent.setup();
    screen.getByRole('button', { name: 'Approve' }).focus();
    await user.keyboard('{Enter}');
    const dialog = await screen.findByRole('dialog', { name: 'Approve web' });
    expect(within(dialog).getByText('Stage 3 starts: web-v4 goes from 4 to 6 replicas and takes 60% of the traffic.')).toBeInTheDocument();
    const atTheEnd = 'At the end of the rollout 2 objects are deleted, 1 is held back, 4 are kept or handed over.';
    expect(await within(dialog).findByText(atTheEnd)).toBeInTheDocument();
    expect(screen.getAllByText(atTheEnd)).toHaveLength(2);
    const deleted = within(dialog).getByRole('list', { name: 'Objects that are deleted or held' });
    expect(within(deleted).getAllByRole('listitem')).toHaveLength(3);
    within(dialog).getByRole('textbox').focus();
    await user.keyboard('All quiet.');
    await user.tab();
    expect(within(dialog).getByRole('button', { name: 'Cancel' })).toHaveFocus();
    await user.tab();
    await user.keyboard('{Enter}');
    expect(log.sent.find((request) => request.method === 'POST')?.body).toEqual({
      verb: 'approve',
      uid: '0c0f7a52-1b7e-4e0e-9d59-4f4fbb7d2a11',
      stage: 2,
      revision: 'web-v4',
      reason: 'All quiet.',
      seen: { rollout: 'sha256:4be1', garbage: 'sha256:77aa' },
    });
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('[issue 14.1] to go on names what is not met besides the gate, such as pods that crash, and one to go back does not', async () => {
    using _log = answerFetch(answers);
    const shown = rolloutDetail(backFrom(SCREEN_NOW));
    const crash = 'Deployment web-v4: 2 pods have failed: Containers in CrashLoop state: web';
    const wait = {
      sentence: 'Waiting for 1 approval after stage 2',
      clauses: [
        { text: 'Waiting for 1 approval after stage 2', met: false },
        { text: crash, met: false },
      ],
    };
    const open = async (verb: ActionView['verb']) => {
      const action = shown.actions.find((each) => each.verb === verb) as ActionView;
      const { close } = await showScreen(
        <DecisionDialog rollout={{ ...shown, wait }} action={action} blocked={null} onClose={() => undefined} />,
      );
      const told = within(screen.getByRole('dialog')).queryByRole('region', { name: 'Conditions not met now' })?.textContent;
      close();
      return told;
    };
    expect(await open('approve')).toBe(`Conditions not met now${crash}`);
    expect(await open('abort')).toBeUndefined();
  });

  it.each([
    ['abort', true],
    ['pause', false],
    ['rollback', false],
  ] as const)('[design 1] to %s shows the course of replicas: %s; where it moves none of them there is none', async (verb, shown) => {
    using _log = answerFetch(answers);
    const rollout = rolloutDetail(backFrom(SCREEN_NOW));
    const moving = rollout.actions.find(({ replicas }) => replicas.length > 0);
    if (moving === undefined) throw new Error('no action of the fixture moves replicas');
    await showScreen(<DecisionDialog rollout={rollout} action={{ ...moving, verb }} blocked={null} onClose={() => undefined} />);
    expect(within(await screen.findByRole('dialog')).queryByRole('region', { name: 'Replicas' }) !== null).toBe(shown);
  });

  it.each([
    ['rollback', 'Roll back web', 'To revision web-v4'],
    ['promote-full', 'Promote web fully', 'Revision web-v4, after stage 2'],
  ] as const)('[design 1] to %s is named by what it does, and to which revision', async (verb, name, description) => {
    using _log = answerFetch(answers);
    const rollout = rolloutDetail(backFrom(SCREEN_NOW));
    const approve = rollout.actions.find((action) => action.verb === 'approve');
    if (approve === undefined) throw new Error('the fixture has no approval');
    await showScreen(<DecisionDialog rollout={rollout} action={{ ...approve, verb }} blocked={null} onClose={() => undefined} />);
    expect(await screen.findByRole('dialog', { name })).toHaveAccessibleDescription(description);
  });

  it('[design 5] that needs a reason is not sent without one, blanks are none, and the focus goes to where it is written', async () => {
    using log = answerFetch(answers);
    await showRollout();
    const user = userEvent.setup();
    await user.click(screen.getByRole('button', { name: 'Abort' }));
    const dialog = await screen.findByRole('dialog', { name: 'Abort web' });
    await user.click(within(dialog).getByRole('button', { name: 'Abort' }));
    const reason = within(dialog).getByRole('textbox', { name: 'Reason' });
    expect(reason).toHaveAccessibleDescription(/needs a reason/);
    expect(reason).toHaveFocus();
    await user.keyboard('   ');
    await user.click(within(dialog).getByRole('button', { name: 'Abort' }));
    expect(reason).toHaveFocus();
    expect(log.sent.filter((request) => request.method === 'POST')).toEqual([]);
    await user.keyboard('{Escape}');
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(screen.getByRole('button', { name: 'Abort' })).toHaveFocus();
  });

  it('[issue 9.4] of another rollout reads what that one deletes, and what going back does there', async () => {
    const other = '/api/v1/namespaces/shop/rollouts/other';
    using log = answerFetch({
      ...answers,
      [`GET ${other}/garbage`]: () => Response.json(garbage()),
      [`POST ${other}/decisions`]: accepted,
    });
    const rollout = rolloutDetail(backFrom(SCREEN_NOW));
    const of = (verb: ActionView['verb']) => rollout.actions.find((action) => action.verb === verb) as ActionView;
    const dialog = (name: string, verb: ActionView['verb']) => (
      <DecisionDialog rollout={{ ...rollout, name }} action={of(verb)} blocked={null} onClose={() => undefined} />
    );
    await showScreen(
      <>
        {dialog('web', 'approve')}
        {dialog('other', 'approve')}
        {dialog('web', 'rollback')}
        {dialog('other', 'rollback')}
      </>,
    );
    await waitFor(() => expect(log.sent.filter(({ method }) => method === 'POST')).toHaveLength(2));
    expect(new Set(log.sent.map(({ method, url }) => `${method} ${url}`))).toEqual(
      new Set([`GET ${ROLLOUT}/garbage`, `GET ${other}/garbage`, `POST ${ROLLOUT}/decisions`, `POST ${other}/decisions`]),
    );
  });

  it('[issue 9.4] is told at once that what is deleted could not be read, and does not ask for it again by itself', async () => {
    using log = answerFetch({
      ...answers,
      [`GET ${ROLLOUT}/garbage`]: () =>
        Response.json({ error: { code: 'unavailable', message: 'The trackers are not read yet.' } }, { status: 503 }),
    });
    const rollout = rolloutDetail(backFrom(SCREEN_NOW));
    const approve = rollout.actions.find((action) => action.verb === 'approve') as ActionView;
    await showScreen(<DecisionDialog rollout={rollout} action={approve} blocked={null} onClose={() => undefined} />);
    expect(await screen.findByText(/The trackers are not read yet/)).toBeInTheDocument();
    expect(screen.getByText('What will be deleted is unknown.')).toBeInTheDocument();
    expect(log.sent).toHaveLength(1);
  });

  it('[style 3.7] that is refused says so next to the button and changes nothing', async () => {
    using _log = answerFetch({
      ...answers,
      [`POST ${ROLLOUT}/decisions`]: () =>
        Response.json({ error: { code: 'rejected', message: 'The rollout has moved on to stage 3.' } }, { status: 409 }),
    });
    await showRollout();
    const user = userEvent.setup();
    await user.click(screen.getByRole('button', { name: 'Approve' }));
    const dialog = await screen.findByRole('dialog');
    await within(dialog).findByText(/2 objects are deleted/);
    const approve = within(dialog).getByRole('button', { name: 'Approve' });
    await user.click(approve);
    const refusal = await within(dialog).findByRole('alert');
    expect(refusal).toHaveTextContent('The rollout has moved on to stage 3.');
    // What scrolls may hide it; the foot never does.
    expect(refusal.closest('footer')).toContainElement(approve);
  });

  it('[design 5] whose rollout moves on while the dialog is open cannot be sent any more', async () => {
    using log = answerFetch(answers);
    const { queries, rows } = await showRollout();
    const user = userEvent.setup();
    await user.click(screen.getByRole('button', { name: 'Approve' }));
    const dialog = await screen.findByRole('dialog');
    await within(dialog).findByText(/2 objects are deleted/);
    rows.seq++;
    rows.rollout = { ...rows.rollout, actions: rows.rollout.actions.map((action) => ({ ...action, stage: 3 })) };
    queries.setQueryData(liveKey('rollout/shop/web'), await rows.snapshot('rollout/shop/web'));
    expect(await within(dialog).findByRole('alert')).toHaveTextContent('has changed since this was opened');
    await user.click(within(dialog).getByRole('button', { name: 'Approve' }));
    expect(log.sent.filter((request) => request.method === 'POST')).toEqual([]);
  });

  const changed = {
    'its target': (action: ActionView): ActionView => ({ ...action, revision: 'web-v5' }),
    'the state of the rollout': (action: ActionView): ActionView => ({ ...action, seen: { ...action.seen, rollout: 'sha256:new' } }),
    'the plan of deletions': (action: ActionView): ActionView => ({ ...action, seen: { ...action.seen, garbage: 'sha256:new' } }),
  };

  it.each(Object.entries(changed))(
    '[issue 9, 6] never sends a digest that was not shown: when %s changes while it is open, it says so',
    async (_what, change) => {
      using log = answerFetch(answers);
      const { queries, rows } = await showRollout();
      const user = userEvent.setup();
      await user.click(screen.getByRole('button', { name: 'Approve' }));
      const dialog = await screen.findByRole('dialog');
      await within(dialog).findByText(/2 objects are deleted/);
      rows.seq++;
      rows.rollout = { ...rows.rollout, actions: rows.rollout.actions.map(change) };
      queries.setQueryData(liveKey('rollout/shop/web'), await rows.snapshot('rollout/shop/web'));
      expect(await within(dialog).findByRole('alert')).toHaveTextContent('has changed since this was opened');
      within(dialog).getByRole('textbox').focus();
      await user.keyboard('All quiet.');
      await user.click(within(dialog).getByRole('button', { name: 'Approve' }));
      const form = within(dialog).getByRole('textbox').closest('form');
      // Past the button, as a browser's extension does.
      await act(async () => void (form && fireEvent.submit(form)));
      expect(log.sent.filter((request) => request.method === 'POST')).toEqual([]);
    },
  );

  it('[issue 9, 6] sends the plan that it showed, also when another one is read behind it', async () => {
    let plan = garbage();
    using log = answerFetch({ ...answers, [`GET ${ROLLOUT}/garbage`]: () => Response.json(plan) });
    const { queries } = await showRollout();
    const user = userEvent.setup();
    await user.click(screen.getByRole('button', { name: 'Approve' }));
    const dialog = await screen.findByRole('dialog');
    await within(dialog).findByText(/2 objects are deleted/);
    plan = { ...plan, digest: 'sha256:new', rows: [] };
    await act(() => queries.refetchQueries({ stale: true })); // as a browser does when somebody comes back to it
    expect(within(dialog).getByText(/2 objects are deleted/)).toBeInTheDocument();
    await user.click(within(dialog).getByRole('button', { name: 'Approve' }));
    expect(log.sent.find((request) => request.method === 'POST')?.body).toMatchObject({ seen: { garbage: 'sha256:77aa' } });
  });

  it('[issue 9.4] to go back shows what it does to every object first, and sends the plan of exactly that', async () => {
    let work: (answer: Response) => void = () => undefined;
    const preview = new Promise<Response>((resolve) => {
      work = resolve;
    });
    using log = answerFetch({
      ...answers,
      [`POST ${ROLLOUT}/decisions`]: (body) => ((body as { dryRun?: true }).dryRun ? preview : accepted()),
    });
    await showRollout();
    const user = userEvent.setup();
    await user.click(screen.getByRole('button', { name: 'Roll back' }));
    const dialog = await screen.findByRole('dialog', { name: 'Roll back web' });
    await user.type(within(dialog).getByRole('textbox'), 'errors');
    const send = within(dialog).getByRole('button', { name: 'Roll back' });
    expect(send).toHaveAccessibleDescription('The effect of the rollback is still being computed.');
    await user.click(send);
    const base = { uid: 'aa0f7a52', generation: 4 };
    work(Response.json({ ...saving('full'), base }));
    expect(await within(dialog).findByRole('list', { name: 'Objects by verdict' })).toHaveTextContent('2 deleted');
    await user.click(within(dialog).getByRole('button', { name: 'Roll back' }));
    const common = {
      verb: 'rollback',
      uid: '0c0f7a52-1b7e-4e0e-9d59-4f4fbb7d2a11',
      revision: 'web-v3',
      seen: { rollout: 'sha256:4be1', garbage: 'sha256:77aa' },
    };
    expect(log.sent.filter(({ method }) => method === 'POST').map(({ body }) => body)).toEqual([
      { ...common, dryRun: true },
      { ...common, reason: 'errors', plan: saving('full').plan, base },
    ]);
  });

  it('[issue 9.4] to go back shows what somebody else changed meanwhile, where that is why it is refused', async () => {
    const lines = [{ sign: '+', text: 'image: web:theirs' }];
    const error = {
      code: 'conflict',
      message: 'It was changed by eve since you opened it.',
      details: { theirs: { by: 'eve', generation: 5, lines } },
    };
    using _log = answerFetch({
      ...answers,
      [`POST ${ROLLOUT}/decisions`]: (body) =>
        (body as { dryRun?: true }).dryRun ? Response.json(saving('full')) : Response.json({ error }, { status: 409 }),
    });
    await showRollout();
    const user = userEvent.setup();
    await user.click(screen.getByRole('button', { name: 'Roll back' }));
    const dialog = await screen.findByRole('dialog');
    await within(dialog).findByRole('list', { name: 'Objects by verdict' });
    await user.type(within(dialog).getByRole('textbox'), 'errors');
    await user.click(within(dialog).getByRole('button', { name: 'Roll back' }));
    expect(await within(dialog).findByText('image: web:theirs')).toBeVisible();
    expect(within(dialog).getByText('What eve changed in the meantime (generation 5)')).toBeVisible();
  });

  it('[issue 9.4] to go back cannot be sent while nobody can tell what it does', async () => {
    const why = 'The rollout has changed since you opened it; review it and decide again.';
    using log = answerFetch({
      ...answers,
      [`POST ${ROLLOUT}/decisions`]: () => Response.json({ error: { code: 'stale', message: why } }, { status: 409 }),
    });
    await showRollout();
    const user = userEvent.setup();
    await user.click(screen.getByRole('button', { name: 'Roll back' }));
    const dialog = await screen.findByRole('dialog');
    expect(await within(dialog).findByText(why)).toBeVisible();
    await user.type(within(dialog).getByRole('textbox'), 'errors');
    await user.click(within(dialog).getByRole('button', { name: 'Roll back' }));
    expect(log.sent.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  it('[design 7] on stale data is refused with the reason, while abort stays possible', async () => {
    using _log = answerFetch(answers);
    await showScreen(<RolloutScreen ns="shop" name="web" />, { topics: ['rollout/shop/web'], scene: 'stale' });
    expect(screen.getByRole('button', { name: 'Approve' })).toHaveAccessibleDescription(/The API server has not answered/);
    expect(screen.getByRole('button', { name: 'Abort' })).not.toHaveAttribute('aria-disabled');
    expect(screen.getByText(/^As of/)).toBeInTheDocument();
  });

  it('[design 8] without the right is refused with the sentence of the server', async () => {
    using _log = answerFetch({ ...answers, [`GET ${ROLLOUT}/rights`]: () => Response.json(rights('Ask for the role approver.')) });
    await showRollout({ rights: 'asked' });
    await screen.findAllByText('Ask for the role approver.');
    expect(screen.getByRole('button', { name: 'Approve' })).toHaveAccessibleDescription('Ask for the role approver.');
  });

  it('[issue 9] waits until it is known whether the person may take it, in the place where it stays', async () => {
    let answer: (rights: Response) => void = () => undefined;
    const asked = new Promise<Response>((resolve) => {
      answer = resolve;
    });
    using _log = answerFetch({ ...answers, [`GET ${ROLLOUT}/rights`]: () => asked });
    await showRollout({ rights: 'asked' });
    const user = userEvent.setup();
    const group = screen.getByRole('group', { name: 'Actions' });
    const verbs = () =>
      within(group)
        .getAllByRole('button')
        .map(({ textContent }) => textContent);
    const before = verbs();
    const approve = within(group).getByRole('button', { name: 'Approve' });
    for (const name of ['Approve', 'Advance', 'Abort']) {
      const button = within(group).getByRole('button', { name });
      expect(button).toHaveAccessibleDescription('Checking your permissions.');
      await user.click(button);
    }
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(group).not.toHaveTextContent(/^Checking/);
    act(() => approve.focus());
    answer(Response.json(rights(null)));
    await waitFor(() => expect(approve).not.toHaveAttribute('aria-disabled'));
    expect(verbs()).toEqual(before);
    expect(approve).toHaveFocus();
    await user.keyboard('{Enter}');
    expect(await screen.findByRole('dialog', { name: 'Approve web' })).toBeVisible();
  });

  it('[issue 9] of a page that comes with what the person may do waits for nothing', async () => {
    using log = answerFetch(answers);
    await showRollout();
    expect(screen.getByRole('button', { name: 'Approve' })).not.toHaveAttribute('aria-disabled');
    expect(log.sent.map(({ url }) => url)).not.toContain(`${ROLLOUT}/rights`);
  });

  it('[design 14] is in nobody’s way where it cannot be read what the person may do: abort least of all', async () => {
    using _log = answerFetch({
      ...answers,
      [`GET ${ROLLOUT}/rights`]: () => Response.json({ error: { code: 'unavailable', message: 'no' } }, { status: 503 }),
    });
    await showRollout({ rights: 'asked' });
    for (const name of ['Approve', 'Advance', 'Abort'])
      await waitFor(() => expect(screen.getByRole('button', { name })).not.toHaveAttribute('aria-disabled'));
  });
});
