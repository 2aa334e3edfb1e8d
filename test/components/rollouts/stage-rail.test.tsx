import { render, screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { StageRailProps } from '@/components/rollouts/stage-rail';
import { progressOf, StageRail } from '@/components/rollouts/stage-rail';
import type { StageView } from '@/lib/contract/rollout-rows';

type Entry = StageView['entries'][number];
const entry = (revision: string, replicas: number | null, exact: Entry['exact'] = 'exactly'): Entry => ({
  revision,
  direction: 'up',
  percent: null,
  replicas,
  exact,
  observed: null,
});
const stage = (index: number, state: StageView['state'], more: Partial<StageView> = {}): StageView => ({
  index,
  way: 'forward',
  state,
  gate: 'none',
  percent: index * 20,
  entries: [entry('new', index * 2), entry('old', 10 - index * 2)],
  startedAt: null,
  finishedAt: null,
  ...more,
});

function show(
  stages: readonly StageView[],
  more: Partial<StageRailProps['attempt']> = {},
  actual: number | null = 4,
): readonly HTMLElement[] {
  render(
    <StageRail
      attempt={{ stages: [...stages], to: 'new', outcome: 'under-way', firstGate: 'none', ...more }}
      revisions={[{ revision: 'new', actual }]}
    />,
  );
  return within(screen.getByRole('list', { name: 'Stages' })).getAllByRole('listitem');
}
const one = (more: Partial<StageView>, state: StageView['state'] = 'done') => show([stage(1, state, more)])[0] as HTMLElement;
const percentOf = (item: HTMLElement | undefined) => within(item as HTMLElement).getByText(/^\d+%$/);
const iconOf = (item: HTMLElement | undefined) =>
  [...((item as HTMLElement).querySelectorAll('svg.lucide') ?? [])].map(({ classList }) => classList.value);
/** The filled part of a stage's bar. */
const filled = (item: HTMLElement | undefined) => (item as HTMLElement).querySelectorAll('rect')[1]?.getAttribute('width');

describe('the rail', () => {
  it('[design 9] names each stage with its state, for those who hear it and under the pointer', () => {
    const items = show([
      stage(1, 'done'),
      stage(2, 'current'),
      stage(3, 'planned'),
      stage(4, 'failed'),
      stage(5, 'skipped'),
      stage(1, 'done', { way: 'back' }),
    ]);
    const names = ['Stage 1, done', 'Stage 2, under way', 'Stage 3, planned', 'Stage 4, failed', 'Stage 5, skipped', 'Back, stage 1, done'];
    expect(items.map(({ title }) => title)).toEqual(names);
    expect(items.map(({ textContent }, at) => textContent?.startsWith(`${names[at]}. `))).toEqual(names.map(() => true));
    expect(items.map((item) => item.getAttribute('aria-current'))).toEqual([null, 'step', null, null, null, null]);
  });

  it('[design 9] tells states apart by shape and not by colour alone', () => {
    const [done, current, planned, failed, skipped, back] = show([
      stage(1, 'done'),
      stage(2, 'current'),
      stage(3, 'planned'),
      stage(4, 'failed'),
      stage(5, 'skipped'),
      stage(1, 'planned', { way: 'back' }),
    ]);
    const shapes = [done, current, planned, failed, skipped, back].map((item) =>
      iconOf(item).map((look) => /lucide-([a-z-]+)/.exec(look)?.[1]),
    );
    expect(shapes).toEqual([['check'], [], [], ['x'], ['skip-forward'], ['corner-down-left']]);
    expect(within(current as HTMLElement).getByText('now')).toBeInTheDocument();
    expect(screen.getAllByText('now')).toHaveLength(1);
    expect([done, current, planned].map((item) => (item as HTMLElement).querySelectorAll('circle').length)).toEqual([0, 2, 0]);
    expect([done, skipped].map((item) => percentOf(item).classList.contains('line-through'))).toEqual([false, true]);
  });

  it('[design 9] keeps back what has not happened, brings out what happens, and shows a failure as one', () => {
    const [done, current, planned, failed, skipped] = show([
      stage(1, 'done'),
      stage(2, 'current'),
      stage(3, 'planned'),
      stage(4, 'failed'),
      stage(5, 'skipped'),
    ]);
    expect([done, planned, skipped].map((item) => percentOf(item).className.match(/text-ink(-3)?/)?.[0])).toEqual([
      'text-ink',
      'text-ink-3',
      'text-ink-3',
    ]);
    expect(percentOf(current)).toHaveClass('text-accent');
    expect(percentOf(done)).not.toHaveClass('text-accent');
    const bars = [done, failed].map((item) => (item as HTMLElement).querySelector('svg.h-2\\.5'));
    expect(bars[0]).toHaveClass('text-accent');
    expect(bars[1]).toHaveClass('text-bad');
    const grounds = [done, current].map((item) => (item as HTMLElement).querySelector('rect'));
    expect(grounds[0]).toHaveClass('fill-pressed');
    expect(grounds[1]).toHaveClass('fill-accent-soft');
  });

  it('[design 9] fills the bar of the stage under way as far as the replicas of the target are there', () => {
    const items = show([stage(1, 'done'), stage(2, 'current'), stage(3, 'planned'), stage(4, 'failed')], {}, 3);
    expect(items.map(filled)).toEqual(['100%', '50%', '0%', '100%']);
  });

  it('[design 9] a stage that moves no replicas of the target has come nowhere before it is done', () => {
    const stages = [stage(1, 'done'), stage(2, 'current', { entries: [entry('new', 2)] })];
    expect(progressOf(stages[1] as StageView, { stages, to: 'new', revisions: [{ revision: 'new', actual: 2 }] })).toBe(0);
  });

  const entries = (mine: number | null, old: number) => [entry('old', old), entry('new', mine)];
  const back = { way: 'back', entries: entries(0, 10) } as const;
  it.each<[string, StageView[], { revision: string; actual: number | null }[], number]>([
    ['the first of all', [stage(1, 'current')], [{ revision: 'new', actual: 1 }], 0.5],
    ['by the target alone, wherever it stands', [stage(1, 'current', { entries: entries(2, 8) })], [{ revision: 'old', actual: 9 }, { revision: 'new', actual: 1 }], 0.5], // biome-ignore format: a table
    ['nowhere where the target has no entry', [stage(1, 'current', { entries: [entry('old', 8)] })], [{ revision: 'new', actual: 1 }], 0],
    [
      'nowhere where nobody knows what it needs',
      [stage(1, 'done'), stage(2, 'current', { entries: entries(null, 8) })],
      [{ revision: 'new', actual: 1 }],
      0,
    ],
    [
      'nowhere on the way back where nobody knows what is there',
      [stage(1, 'done'), stage(2, 'current', back)],
      [{ revision: 'new', actual: null }],
      0,
    ],
    ['nowhere on the way back where the target is not counted', [stage(1, 'done'), stage(2, 'current', back)], [], 0],
  ])('[design 9] a stage has come as far as its target: %s', (_what, stages, revisions, progress) => {
    expect(progressOf(stages.at(-1) as StageView, { stages, to: 'new', revisions })).toBe(progress);
  });

  it.each([
    [2, '2%'],
    [3, '50%'],
    [4, '96%'],
  ])('[design 9] the cursor of the stage under way stands where its bar ends, and whole at either end: %i replicas', (actual, x) => {
    const [, current] = show([stage(1, 'done'), stage(2, 'current')], {}, actual);
    expect(current?.querySelector('svg[overflow=visible]')).toHaveAttribute('x', x);
  });
});

describe('the replicas of a stage', () => {
  it.each<[string, Entry[], string]>([
    ['of both', [entry('new', 4), entry('old', 6)], '4 new · 6 old'],
    ['of several older ones together', [entry('new', 4), entry('old', 3), entry('older', 2, 'atLeast')], '4 new · 5 old'],
    ['of the target wherever it stands', [entry('old', 6), entry('new', 4)], '4 new · 6 old'],
    [
      'of several together without a bound, which is none of their sum',
      [entry('older', 2, 'atLeast'), entry('old', 3), entry('new', 4)],
      '4 new · 5 old',
    ],
    ['of the older ones alone', [entry('old', 6)], '– new · 6 old'],
    ['bounds where an autoscaler counts', [entry('new', 4, 'atLeast'), entry('old', 6, 'atMost')], '≥ 4 new · ≤ 6 old'],
    ['a dash for the target of which nobody knows', [entry('new', null), entry('old', 6)], '– new · 6 old'],
    ['nothing of older ones that are not counted', [entry('new', 4), entry('old', null)], '4 new'],
  ])('[design 9] are told %s', (_what, entries, figures) => {
    expect(one({ entries }).querySelector('p')?.textContent).toBe(figures);
  });

  it('[design 9] are left out where none is counted', () => {
    expect(one({ entries: [entry('new', null), entry('old', null)] }).querySelector('p')).toBeNull();
  });

  it('[design 9] are left out where a stage has none', () => {
    expect(one({ entries: [] }).querySelector('p')).toBeNull();
  });

  it('[design 9] stand back where they are only planned', () => {
    const [done, skipped] = show([stage(1, 'done'), stage(2, 'skipped')]);
    const mine = (item: HTMLElement | undefined) => (item as HTMLElement).querySelector('p > span');
    expect(mine(done)).toHaveClass('text-ink-2');
    expect(mine(skipped)).not.toHaveClass('text-ink-2');
  });
});

describe('a gate', () => {
  const passedBy = (...by: { user: string; verb: 'approve' | 'advance' | 'promote-full' | 'resume' }[]) => ({
    at: '2026-11-20T09:12:00Z',
    by: by.map((who) => ({ ...who, at: '2026-11-20T09:12:00Z' })),
  });

  it('[design 9] that is closed looks and reads like a closed one, and an open one like an open one', () => {
    const [closed, open, without] = show([stage(1, 'done', { gate: 'closed' }), stage(2, 'done', { gate: 'open' }), stage(3, 'planned')]);
    const gateOf = (item: HTMLElement | undefined) => within(item as HTMLElement).queryByTitle(/^Gate/);
    expect(gateOf(closed)).toHaveTextContent('Gate: closed until approved');
    expect(gateOf(closed)).toHaveClass('bg-warn-soft', 'text-warn');
    expect(gateOf(closed)?.querySelector('.lucide-lock-keyhole')).not.toBeNull();
    expect(gateOf(open)).toHaveTextContent('Gate: open');
    expect(gateOf(open)).toHaveClass('text-good');
    expect(gateOf(open)?.querySelector('.lucide-lock-keyhole-open')).not.toBeNull();
    expect(gateOf(without)).toBeNull();
  });

  it('[issue 14.1] is not shown closed where the rollout was aborted: nobody can open it any more', () => {
    const more = { outcome: 'aborted', firstGate: 'closed' } as const;
    const items = show([stage(1, 'done', { gate: 'open' }), stage(2, 'failed', { gate: 'closed' })], more);
    expect(items).toHaveLength(2);
    expect(items.map((item) => within(item).queryByTitle(/^Gate/)?.textContent)).toEqual(['Gate: open', undefined]);
  });

  it.each([
    ['approved by mara and tom', passedBy({ user: 'mara', verb: 'approve' }, { user: 'tom', verb: 'approve' })],
    ['advanced by mara', passedBy({ user: 'mara', verb: 'advance' })],
    ['promoted by mara', passedBy({ user: 'mara', verb: 'promote-full' })],
    ['resume by mara', passedBy({ user: 'mara', verb: 'resume' })],
    ['opened automatically', passedBy()],
  ])('[design 9] that was passed tells how: %s', (words, gatePassed) => {
    expect(one({ gate: 'open', gatePassed })).toHaveTextContent(new RegExp(`Gate: ${words} at .*\\d`));
  });

  it('[design 9] before the first stage stands first, and tells who passed it', () => {
    const [first, second] = show([stage(1, 'planned')], {
      firstGate: 'open',
      firstGatePassed: passedBy({ user: 'mara', verb: 'approve' }),
    });
    expect(first).toHaveTextContent(/^Gate: approved by mara at/);
    expect(second).toHaveTextContent(/^Stage 1, planned/);
  });
});

describe('a rail of many stages', () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, at) => stage(at + 1, at === 0 ? 'done' : 'planned', { gate: 'closed' }));

  it('[design 9] has figures and gates up to twelve', () => {
    const items = show(many(12), { firstGate: 'closed' });
    expect(items).toHaveLength(13);
    expect(screen.getAllByText(/^\d+%$/)).toHaveLength(12);
    expect(screen.getAllByTitle(/^Gate/)).toHaveLength(13);
  });

  it('[design 9] is a ruler beyond: bars alone, which still say what they are', () => {
    const items = show(many(13), { firstGate: 'closed' });
    expect(items).toHaveLength(13);
    expect([screen.queryByText(/^\d+%$/), screen.queryByTitle(/^Gate/), screen.queryByText(/new$/)]).toEqual([null, null, null]);
    expect(items[0]).toHaveTextContent('Stage 1, done.');
    expect(items.map(filled).slice(0, 2)).toEqual(['100%', '0%']);
  });
});
