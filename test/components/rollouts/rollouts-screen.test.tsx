import { act, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { RolloutsScreen } from '@/components/rollouts/rollouts-screen';
import { HEALTH_STATUSES } from '@/lib/contract/health';
import type { RolloutRow } from '@/lib/contract/rollout-rows';
import { showScreen } from '@/test/support/screen';
import { changeRows } from './change-rows';

describe('the table of rollouts', () => {
  const row = (name: RegExp) => screen.getAllByRole('row').find((each) => name.test(each.textContent)) as HTMLElement;

  it('[design 9] tells from where to where, the stage, and how far it has come', async () => {
    await showScreen(<RolloutsScreen />, { topics: ['rollouts'] });
    const web = row(/^web /);
    expect(web).toHaveTextContent(/web-v3\s*web-v4.*2\/5/);
    const [, filled] = within(web).getByRole('img', { name: '40% of web-v4 planned, by pod ratio' }).querySelectorAll('rect');
    expect(filled).toHaveAttribute('width', '40');
  });

  it('[design 9] has a dash where there are no stages, and one revision where there is only one', async () => {
    const { queries } = await showScreen(<RolloutsScreen />, { topics: ['rollouts'] });
    await changeRows<RolloutRow>(queries, 'rollouts', { from: 'only-v1', to: 'only-v1', stage: { index: 0, count: 0 } });
    expect(within(row(/^web /)).getAllByTitle('only-v1')).toHaveLength(1);
    expect(row(/^web /)).not.toHaveTextContent('0/0');
    expect(row(/^web /)).toHaveTextContent('–');
  });

  it('[design 9] says how to get one where there is none, and what to change where a filter finds none', async () => {
    await showScreen(<RolloutsScreen />, { topics: ['rollouts'], scene: 'empty' });
    expect(screen.getByText('No rollouts yet')).toBeInTheDocument();
    await showScreen(<RolloutsScreen />, { topics: ['rollouts?q=zzz'], search: 'q=zzz', scene: 'empty' });
    expect(screen.getByText('No rollout matches')).toBeInTheDocument();
    expect(screen.getAllByText('No rollouts yet')).toHaveLength(1);
  });

  const cells = (each: HTMLElement) => within(each).getAllByRole('cell');

  it('[design 9] tells of each what it is, how it is, what it does and since when, and leads to it', async () => {
    await showScreen(<RolloutsScreen />, { topics: ['rollouts'] });
    const [name, health, activity, revision, stage, sentence, started] = cells(row(/^checkout /));
    expect([name, health, activity].map((cell) => cell?.textContent)).toEqual(['checkout pay', 'In progress', 'Rolling out']);
    expect(revision).toHaveTextContent(/^checkout-v11\s*checkout-v12$/);
    expect(within(revision as HTMLElement).getByLabelText('to')).toBeInTheDocument();
    expect(stage).toHaveTextContent(/^7\/10$/);
    expect(sentence).toHaveTextContent('Stage 7 needs 14 ready replicas of checkout-v12, has 11.');
    expect(within(sentence as HTMLElement).getByTitle('Stage 7 needs 14 ready replicas of checkout-v12, has 11.')).toBeInTheDocument();
    expect(started).toHaveTextContent(/ago$/);
    expect(started).toHaveClass('text-right');
    expect(within(name as HTMLElement).getByRole('link')).toHaveAttribute('href', '/rollouts/pay/checkout');
  });

  it('[design 9] on a phone is cards that tell the same', async () => {
    await showScreen(<RolloutsScreen />, { topics: ['rollouts'] });
    const card = within(screen.getByRole('list', { name: 'Rollouts' }))
      .getAllByRole('listitem')
      .find(({ textContent }) => textContent.startsWith('checkout'));
    expect(card).toHaveTextContent(/^checkout payIn progressStage 7 needs 14 ready replicas of checkout-v12, has 11\.Rolling out7\/10$/);
  });

  it('[design 9] is put in order by what the server can order it by, and narrowed to a health', async () => {
    await showScreen(<RolloutsScreen />, { topics: ['rollouts'], path: '/rollouts' });
    const heads = screen.getAllByRole('columnheader').map((head) => {
      const button = within(head).queryByRole('button');
      act(() => button?.click());
      const sort = button && new URLSearchParams(globalThis.location.search).get('sort');
      return `${head.textContent} ${sort}`;
    });
    expect(heads).toEqual([
      'Rollout name',
      'Health phase',
      'Activity activity',
      'Revision null',
      'Stage progress',
      'Now null',
      'Started started',
    ]);
    const user = userEvent.setup();
    await user.click(screen.getByRole('button', { name: 'Health: Any health' }));
    expect(await screen.findAllByRole('menuitemcheckbox')).toHaveLength(HEALTH_STATUSES.length);
    await user.click(await screen.findByRole('menuitemcheckbox', { name: 'In progress' }));
    expect(new URLSearchParams(globalThis.location.search).get('health')).toBe('InProgress');
    globalThis.history.replaceState(null, '', '/');
  });

  it('[design 9] of a first revision tells that one alone', async () => {
    const { queries } = await showScreen(<RolloutsScreen />, { topics: ['rollouts'] });
    await changeRows<RolloutRow>(queries, 'rollouts', { from: null, to: 'only-v1' });
    expect(cells(row(/^web /))[3]).toHaveTextContent(/^only-v1$/);
    expect(within(row(/^web /)).queryByLabelText('to')).toBeNull();
  });
});
