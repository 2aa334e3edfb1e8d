import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import type { DecisionDialogProps } from '@/components/rollouts/decision-dialog';
import { DecisionDialog } from '@/components/rollouts/decision-dialog';
import { Toaster } from '@/components/ui/overlay/toast';
import type { ActionView } from '@/lib/contract/rollout-rows';
import { saving } from '@/test/support/fixture/changes';
import { rolloutDetail } from '@/test/support/fixture/rollouts';
import { backFrom } from '@/test/support/fixture/times';
import { garbage } from '@/test/support/fixture/trackers';
import { answerFetch, SCREEN_NOW, showScreen } from '@/test/support/screen';

const ROLLOUT = '/api/v1/namespaces/shop/rollouts/web';
const GARBAGE = `GET ${ROLLOUT}/garbage`;
const DECISIONS = `POST ${ROLLOUT}/decisions`;
const accepted = () => Response.json({ accepted: { kind: 'StageDecision', ns: 'shop', name: 'web-x', uid: null } }, { status: 202 });
const answers = { [GARBAGE]: () => Response.json(garbage()), [DECISIONS]: accepted };
const never = () => new Promise<Response>(() => {});
const FIELDS = [{ field: 'control.gates', inForce: 'every-stage', requested: 'none' }];
const NOTHING_SEEN = { rollout: 'sha256:4be1', garbage: null, policy: null };

interface Opened {
  readonly action?: Partial<ActionView>;
  readonly rollout?: Partial<DecisionDialogProps['rollout']>;
  readonly blocked?: string | null;
}

/** The dialog of an approval, or of what is made of it. */
async function open({ action = {}, rollout = {}, blocked = null }: Opened = {}) {
  const detail = rolloutDetail(backFrom(SCREEN_NOW));
  const opened = { ...(detail.actions[0] as ActionView), ...action };
  let closed = 0;
  await showScreen(
    <>
      <DecisionDialog rollout={{ ...detail, actions: [opened], ...rollout }} action={opened} blocked={blocked} onClose={() => closed++} />
      <Toaster />
    </>,
  );
  const dialog = await screen.findByRole('dialog');
  return { dialog, inside: within(dialog), closed: () => closed };
}
const posted = ({ sent }: ReturnType<typeof answerFetch>) =>
  sent.filter(({ method, body }) => method === 'POST' && !(body as { dryRun?: true }).dryRun);
/** Past the button, as a browser's extension does. */
const submit = (dialog: HTMLElement) => fireEvent.submit(dialog.querySelector('form') as HTMLFormElement);

describe('the dialog of a decision', () => {
  it.each<[string, Partial<ActionView>, string, string]>([
    ['before the first stage', { stage: 0 }, 'Approve web', 'Revision web-v4, before stage 1'],
    ['after a stage', { stage: 1 }, 'Approve web', 'Revision web-v4, after stage 1'],
    ['of no stage', { stage: null }, 'Approve web', 'Revision web-v4'],
    ['of no revision', { revision: null }, 'Approve web', ''],
    ['of a policy', { verb: 'loosen', stage: null }, 'Loosen the policy of web', 'Revision web-v4'],
  ])('[design 1] %s says what is decided, and of what', async (_what, action, name, description) => {
    using _log = answerFetch(answers);
    const { dialog } = await open({ action });
    expect(dialog).toHaveAccessibleName(name);
    expect(dialog).toHaveAccessibleDescription(description);
  });

  it.each([
    ['loosen', 1],
    ['approve', 0],
  ] as const)('[design 14] to %s shows what the policy lets through then, where that is what is decided', async (verb, tables) => {
    using _log = answerFetch(answers);
    const { inside } = await open({ action: { verb }, rollout: { loosening: { fields: FIELDS, given: [] } } });
    expect(inside.queryAllByRole('row', { name: 'control.gates every-stage none' })).toHaveLength(tables);
  });

  it('[design 5] without a collection to come reads none, and waits for nothing', async () => {
    using log = answerFetch(answers);
    const { inside } = await open({ action: { seen: NOTHING_SEEN } });
    expect(inside.getByRole('button', { name: 'Approve' })).not.toHaveAttribute('aria-disabled');
    expect([inside.queryByRole('region', { name: 'What will be deleted' }), inside.queryByRole('status')]).toEqual([null, null]);
    expect(log.sent).toEqual([]);
    await userEvent.click(inside.getByRole('button', { name: 'Approve' }));
    await waitFor(() => expect(posted(log)).toHaveLength(1));
    expect(posted(log)[0]?.body).not.toHaveProperty('seen.garbage');
  });

  it('[issue 9, 6] cannot be sent before what it deletes was read', async () => {
    using log = answerFetch({ ...answers, [GARBAGE]: never });
    const { dialog, inside } = await open();
    expect(inside.getByRole('button', { name: 'Approve' })).toHaveAccessibleDescription('What will be deleted is still being read.');
    submit(dialog);
    expect(posted(log)).toEqual([]);
  });

  it('[issue 9, 6] sends the plan that it read, where another one stands with the action', async () => {
    using log = answerFetch({ ...answers, [GARBAGE]: () => Response.json({ ...garbage(), digest: 'sha256:read' }) });
    const { inside } = await open();
    await inside.findByRole('region', { name: 'What will be deleted' });
    await userEvent.click(inside.getByRole('button', { name: 'Approve' }));
    await waitFor(() => expect(posted(log)).toHaveLength(1));
    expect(posted(log)[0]?.body).toMatchObject({ seen: { garbage: 'sha256:read' } });
  });

  it('[design 8] cannot be sent any more once it is refused, past its button either', async () => {
    using log = answerFetch(answers);
    const { dialog, inside } = await open({ action: { seen: NOTHING_SEEN }, blocked: 'Ask for the role approver.' });
    expect(inside.getByRole('button', { name: 'Approve' })).toHaveAccessibleDescription('Ask for the role approver.');
    submit(dialog);
    expect(posted(log)).toEqual([]);
  });

  it('[issue 9] whose action is gone says that the rollout moved on, where a person looks before sending', async () => {
    using _log = answerFetch(answers);
    const { inside } = await open({ action: { seen: NOTHING_SEEN }, rollout: { actions: [] }, blocked: 'Ask for the role approver.' });
    expect(inside.getByRole('alert')).toHaveTextContent('The rollout has changed since this was opened.');
    expect(inside.getByRole('button', { name: 'Approve' })).toHaveAccessibleDescription(/^The rollout has changed/);
  });

  it('[design 5] says that it is being sent, closes once it is taken, and tells where its outcome will be seen', async () => {
    let take: (answer: Response) => void = () => undefined;
    const taken = new Promise<Response>((resolve) => {
      take = resolve;
    });
    using log = answerFetch({ ...answers, [DECISIONS]: () => taken });
    const { inside, closed } = await open({ action: { seen: NOTHING_SEEN } });
    await userEvent.click(inside.getByRole('button', { name: 'Approve' }));
    expect(await inside.findByRole('button', { name: 'Sending…' })).toHaveAttribute('aria-busy', 'true');
    expect([closed(), posted(log).length]).toEqual([0, 1]);
    take(accepted());
    await waitFor(() => expect(closed()).toBe(1));
    expect(screen.getByRole('status', { name: 'Notifications', hidden: true })).toHaveTextContent('Approve for web is recorded.');
  });

  it('[design 5] is left by Escape and by Cancel, without sending anything', async () => {
    using log = answerFetch(answers);
    const { inside, closed } = await open();
    await userEvent.click(inside.getByRole('button', { name: 'Cancel' }));
    await userEvent.keyboard('{Escape}');
    expect([closed(), posted(log)]).toEqual([2, []]);
  });

  it.each([
    ['abort', 'Abort', 'bg-bad-fill'],
    ['rollback', 'Roll back', 'bg-bad-fill'],
    ['approve', 'Approve', 'bg-accent-fill'],
    ['pause', 'Pause', 'bg-accent-fill'],
  ] as const)('[design 9] to %s warns by its colour where it goes back', async (verb, name, look) => {
    using _log = answerFetch({ ...answers, [DECISIONS]: () => Response.json(saving('full')) });
    const { inside } = await open({ action: { verb } });
    expect(inside.getByRole('button', { name })).toHaveClass(look);
  });

  it.each<[string, Partial<ActionView>, string]>([
    ['objects that are deleted', {}, 'max-w-2xl'],
    ['objects that going back changes', { verb: 'rollback', seen: NOTHING_SEEN }, 'max-w-2xl'],
    ['no objects', { seen: NOTHING_SEEN }, 'max-w-lg'],
  ])('[design 9] has room for %s', async (_what, action, width) => {
    using _log = answerFetch({ ...answers, [DECISIONS]: () => Response.json(saving('full')) });
    expect((await open({ action })).dialog).toHaveClass(width);
  });

  it.each([
    [true, 'Reason'],
    [false, 'Reason (optional)'],
  ])('[design 5] asks for a reason where it needs one (%s)', async (needsReason, label) => {
    using _log = answerFetch(answers);
    const { inside } = await open({ action: { needsReason } });
    const field = inside.getByRole('textbox', { name: label });
    expect(field.hasAttribute('required')).toBe(needsReason);
  });
});

describe('what a decision deletes', () => {
  it('[issue 9.4] says so where it is refused, and in no list where nothing is lost', async () => {
    const refused = 'It would delete more than half of what is there.';
    const rows = garbage().rows.filter(({ verdict }) => verdict !== 'deleted' && verdict !== 'held');
    using _log = answerFetch({ ...answers, [GARBAGE]: () => Response.json({ ...garbage(), rows, refused }) });
    const { inside } = await open();
    const told = await inside.findByRole('region', { name: 'What will be deleted' });
    expect(within(told).getByRole('heading')).toHaveTextContent('At the end of the rollout nothing is deleted, 4 are kept or handed over.');
    expect(within(told).getByText(refused)).toBeVisible();
    expect(within(told).queryByRole('list')).toBeNull();
  });

  it('[issue 9.4] names what is deleted and what is held, and nothing else', async () => {
    using _log = answerFetch(answers);
    const { inside } = await open();
    const lost = await inside.findByRole('list', { name: 'Objects that are deleted or held' });
    expect(['web-v3', 'web-banner', 'web-uploads', 'web-settings'].map((name) => within(lost).queryAllByText(name).length > 0)).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });
});

describe('what going back does', () => {
  const back = { verb: 'rollback', seen: NOTHING_SEEN } as const;

  it('[issue 9.4] is read for a rollback alone', async () => {
    using log = answerFetch(answers);
    const { inside } = await open({ action: { seen: NOTHING_SEEN } });
    expect(inside.queryByText('Computing what the rollback does.')).toBeNull();
    expect(log.sent).toEqual([]);
  });

  it('[issue 9.4] that is not known says so, and not that it will be', async () => {
    using log = answerFetch({
      ...answers,
      [DECISIONS]: () => Response.json({ error: { code: 'unavailable', message: 'No engine answers.' } }, { status: 503 }),
    });
    const { dialog, inside } = await open({ action: back });
    expect(await inside.findByText('No engine answers.')).toBeVisible();
    expect(inside.getByRole('button', { name: 'Roll back' })).toHaveAccessibleDescription('The effect of the rollback is unknown.');
    submit(dialog);
    expect(posted(log)).toEqual([]);
  });

  it('[issue 9.4] of an application that was not read binds to the plan alone', async () => {
    const { base: _base, ...preview } = { base: undefined, ...saving('full') };
    using log = answerFetch({
      ...answers,
      [DECISIONS]: (body) => ((body as { dryRun?: true }).dryRun ? Response.json(preview) : accepted()),
    });
    const { inside } = await open({ action: back });
    await inside.findByRole('list', { name: 'Objects by verdict' });
    await userEvent.click(inside.getByRole('button', { name: 'Roll back' }));
    await waitFor(() => expect(posted(log)).toHaveLength(1));
    expect(posted(log)[0]?.body).toHaveProperty('plan', saving('full').plan);
    expect(posted(log)[0]?.body).not.toHaveProperty('base');
  });
});
