import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ScaleLanes } from '@/components/rollouts/scale-lanes';
import { TONE_SOFT } from '@/components/ui/status/tone';
import type { AttemptView, RevisionScale, RolloutDetail } from '@/lib/contract/rollout-rows';
import { rolloutDetail } from '@/test/support/fixture/rollouts';
import { backFrom } from '@/test/support/fixture/times';
import { SCREEN_NOW, showScreen } from '@/test/support/screen';

const fixture = () => rolloutDetail(backFrom(SCREEN_NOW));
const lane = (over: Partial<RevisionScale>): RevisionScale => ({ ...(fixture().revisions[0] as RevisionScale), revision: 'web', ...over });

async function show(rollout: RolloutDetail, attempt: AttemptView | undefined = rollout.attempts[0]): Promise<HTMLElement> {
  await showScreen(<ScaleLanes rollout={rollout} attempt={attempt} />);
  return screen.getByRole('heading', { name: 'Replicas and traffic' }).closest('section') as HTMLElement;
}
const showLane = async (over: Partial<RevisionScale>) => await show({ ...fixture(), revisions: [lane(over)] });
/** What stands beside a word of the figures. */
const beside = (word: string) => screen.getByText(word, { selector: 'dt' }).nextElementSibling;

describe('the figures of a revision', () => {
  it.each<[string, Partial<RevisionScale>, string, keyof typeof TONE_SOFT]>([
    ['the new one', { role: 'new' }, 'New', 'busy'],
    ['an old one', { role: 'old' }, 'Old', 'idle'],
    ['one that stays', { role: 'stay' }, 'Stays', 'idle'],
    ['the one that an abort sends back', { role: 'new', isRejected: true }, 'Rejected', 'warn'],
  ])('[design 9] say of %s which it is, in a colour of its own', async (_what, over, word, tone) => {
    await showLane(over);
    expect(screen.getByText(word, { exact: true }).parentElement).toHaveClass(TONE_SOFT[tone]);
  });

  it('[design 9] bring out the new one', async () => {
    const panel = await show({
      ...fixture(),
      revisions: [lane({ role: 'new', actual: 4 }), lane({ role: 'old', revision: 'web-old', actual: 6 })],
    });
    expect(within(panel).getByText('4', { selector: 'span' })).toHaveClass('text-accent');
    expect(within(panel).getByText('6', { selector: 'span' })).not.toHaveClass('text-accent');
    expect(panel.querySelectorAll('.lane-new.mt-1\\.5')).toHaveLength(1);
    expect(panel.querySelectorAll('.lane-old.mt-1\\.5')).toHaveLength(1);
  });

  it.each<[Partial<RevisionScale>, string]>([
    [{ actual: 4, desired: 6, terminating: 0 }, '4of 6 desired'],
    [{ actual: 4, desired: 6, terminating: 2 }, '4of 6 desired, 2 terminating'],
    [{ actual: null, desired: null, terminating: null }, '–of – desired'],
  ])('[design 9] tell replicas that are there, wanted and going, and a dash for what nobody knows: %o', async (over, words) => {
    await showLane(over);
    expect(screen.getByText(/desired/, { selector: 'p > span' }).closest('p')).toHaveTextContent(words);
  });

  it.each<[Partial<RevisionScale>, string, string]>([
    [{ inForce: 'stage', stageMin: 4, stageMax: 10, ownMin: 2, ownMax: 12 }, '4 – 10 in force', '2 – 12'],
    [{ inForce: 'own', stageMin: null, stageMax: null, ownMin: 2, ownMax: null }, 'not set', '2 – ∞ in force'],
    [{ inForce: 'parked', stageMin: 0, stageMax: 0, ownMin: null, ownMax: 12 }, '0 – 0 scaled to zero', '0 – 12'],
  ])('[design 9] tell which bounds are in force: %o', async (over, stage, own) => {
    await showLane(over);
    expect(beside('Stage')).toHaveTextContent(new RegExp(`^${stage}$`));
    expect(beside('Own')).toHaveTextContent(new RegExp(`^${own}$`));
  });

  it.each<[Partial<RevisionScale>, string, number]>([
    [{ percentByPods: 61, percentPlanned: 60 }, '61% of all, 60% planned', 61],
    [{ percentByPods: null, percentPlanned: 60 }, 'none, 60% planned', 0],
    [{ percentByPods: 61, percentPlanned: null }, '61% of all', 61],
  ])('[design 9] tell the share of the ready pods beside what is planned: %o', async (over, words, meter) => {
    await showLane(over);
    expect(beside('Ready pods')).toHaveTextContent(new RegExp(`^${words}$`));
    const share = over.percentByPods === null ? 'none' : `${over.percentByPods}%`;
    const [, filled] = screen.getByRole('img', { name: `Share of web in the ready pods: ${share}` }).querySelectorAll('rect');
    expect(filled).toHaveAttribute('width', String(meter));
  });

  it('[issue 14.3] are a table where the address says so, which is written there when it is chosen', async () => {
    const rollout = fixture();
    await showScreen(<ScaleLanes rollout={rollout} attempt={rollout.attempts[0]} />, {
      path: '/rollouts/shop/web',
      search: 'replicas=table',
    });
    expect(screen.getAllByRole('table')).toHaveLength(rollout.revisions.length);
    await userEvent.click(screen.getByRole('button', { name: 'Show as chart' }));
    expect(screen.queryByRole('table')).toBeNull();
    await userEvent.click(screen.getByRole('button', { name: 'Show as table' }));
    expect(new URLSearchParams(globalThis.location.search).get('replicas')).toBe('table');
  });

  it('[design 9] name image and autoscaler where there is one', async () => {
    await showLane({ image: 'web:1', scaler: { name: 'web-hpa', min: 2, max: 5, state: 'scaling', message: null } });
    expect(screen.getByTitle('web:1')).toHaveTextContent('web:1');
    expect(beside('Scaled by')).toHaveTextContent('HPA web-hpa, 2 – 5');
  });

  it('[design 9] leave them out where there is none', async () => {
    await showLane({ image: null, scaler: null });
    expect(screen.queryByText('Scaled by')).toBeNull();
    expect(screen.queryByTitle('web:1')).toBeNull();
  });
});

describe('the lanes', () => {
  it('[design 9] are a chart with marks of what was decided, or a table that says the same', async () => {
    await show(fixture());
    const user = userEvent.setup();
    const marks = () => screen.queryByRole('img', { name: '3 decisions and 6 events over the time shown' });
    const toggle = screen.getByRole('button', { name: 'Show as table' });
    expect(screen.queryByRole('table')).toBeNull();
    expect(marks()).toBeInTheDocument();
    await user.click(toggle);
    // It says what it does next: "Show as chart, pressed" would say that it is one.
    expect(screen.getByRole('button', { name: 'Show as chart' })).not.toHaveAttribute('aria-pressed');
    expect(screen.getByRole('table', { name: 'Replicas of web-v4' })).toBeInTheDocument();
    expect(marks()).toBeNull();
  });

  it('[design 9] have a legend of what each line of the chart is, with the line itself', async () => {
    const panel = await show(fixture());
    const items = within(within(panel).getByRole('list', { name: 'Lines of the chart' })).getAllByRole('listitem');
    expect(items.map(({ textContent }) => textContent)).toEqual([
      'stage bounds',
      'own bounds',
      'desired',
      'actual',
      'decision',
      ' new revision',
      ' old revision',
    ]);
    expect(items.map((item) => item.querySelector('svg')?.firstElementChild?.tagName)).toEqual([
      'rect',
      ...Array(4).fill('path'),
      undefined,
      undefined,
    ]);
  });

  it('[issue 9.3] say that traffic is told by pods', async () => {
    const rollout = fixture();
    const panel = await show(rollout);
    expect(panel).toHaveTextContent('traffic by pod ratio: the share of ready pods');
    expect(panel).not.toHaveTextContent('figures of now');
  });

  it('[issue 9.3] of a former attempt say that the figures are those of now, and mark what was decided in its time', async () => {
    const rollout = fixture();
    const marksOf = (panel: HTMLElement) =>
      within(panel)
        .getByRole('img', { name: /^3 decisions/ })
        .querySelectorAll('circle, path').length;
    const panel = await show(rollout, rollout.attempts[1]);
    expect(panel).toHaveTextContent('current figures, for the period of Rollout to web-v4, aborted');
    expect(marksOf(panel)).toBe(0);
  });

  it('[issue 9.3] of the present attempt mark everything since its start', async () => {
    const rollout = fixture();
    const panel = await show(rollout);
    expect(
      within(panel)
        .getByRole('img', { name: /^3 decisions/ })
        .querySelectorAll('circle, path:first-child'),
    ).toHaveLength(9);
  });
});

describe('the time of the lanes', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });
  const event = (at: number) => ({
    key: String(at),
    at: new Date(at).toISOString(),
    actor: 'rollout',
    action: 'ready',
    message: 'Stage 1 is complete.',
  });
  const placesOf = (panel: HTMLElement) =>
    [...panel.querySelectorAll('circle')].map((mark) => Number.parseFloat(mark.getAttribute('cx') ?? '').toFixed(1));

  it('[design 9] begins a little before the attempt and ends with now, which moves on every five seconds', async () => {
    vi.spyOn(Date, 'now').mockReturnValue(SCREEN_NOW + 1);
    // Under way for 400 s once the five seconds are full, so 32 s of lead: 432 s in all.
    const [present] = fixture().attempts;
    const attempt = { ...(present as AttemptView), startedAt: new Date(SCREEN_NOW - 395_000).toISOString() };
    const timeline = [-427_000, -211_000, 5000].map((ms) => event(SCREEN_NOW + ms));
    expect(placesOf(await show({ ...fixture(), attempts: [attempt], timeline }, attempt))).toEqual(['0.0', '50.0', '100.0']);
  });

  it('[issue 9.3] of a former attempt ends a little after its end', async () => {
    vi.spyOn(Date, 'now').mockReturnValue(SCREEN_NOW);
    const rollout = fixture();
    const former = { ...(rollout.attempts[1] as AttemptView), startedAt: new Date(SCREEN_NOW - 900_000).toISOString() };
    const timeline = [-908_000, -850_000, -792_000].map((ms) => event(SCREEN_NOW + ms));
    const past = await show({ ...rollout, timeline }, { ...former, endedAt: new Date(SCREEN_NOW - 800_000).toISOString() });
    expect(placesOf(past)).toEqual(['0.0', '50.0', '100.0']);
  });

  it('[issue 9.3] without an attempt is that of the rollout', async () => {
    vi.spyOn(Date, 'now').mockReturnValue(SCREEN_NOW);
    const timeline = [-108_000, -54_000, 0].map((ms) => event(SCREEN_NOW + ms));
    await showScreen(
      <ScaleLanes rollout={{ ...fixture(), timeline, startedAt: new Date(SCREEN_NOW - 100_000).toISOString() }} attempt={undefined} />,
    );
    expect(placesOf(document.body)).toEqual(['0.0', '50.0', '100.0']);
  });
});

describe('the chart of a revision', () => {
  // Nothing is laid out here, and a chart without a place draws nothing.
  beforeEach(() => {
    vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockReturnValue({ width: 640, height: 140 } as DOMRect);
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });
  const figure = async (name: RegExp = /^Replicas of web over time/) => await screen.findByRole('figure', { name });
  const sample = { at: new Date(SCREEN_NOW - 60_000).toISOString(), stageMin: 0, stageMax: null, desired: null, actual: null };
  const NONE = { ownMin: null, ownMax: null, stageMin: null, stageMax: null, desired: null, actual: null, scaler: null };
  const EMPTY = { ...NONE, samples: [sample] };

  it.each<[Partial<RevisionScale>, string]>([
    [{ actual: 4, desired: 6, stageMin: 4, stageMax: 10, scaler: null }, '4 actual, 6 desired, stage bounds 4 – 10'],
    [{ ...EMPTY }, 'unknown actual, unknown desired, stage bounds not set'],
    [{ ...EMPTY, actual: 0, desired: 0, stageMax: 3 }, '0 actual, 0 desired, stage bounds 0 – 3'],
    [
      { ...EMPTY, actual: 1, desired: 1, stageMin: 2, scaler: { name: 'hpa', min: 2, max: 5, state: 'scaling', message: null } },
      '1 actual, 1 desired, stage bounds 2 – ∞, scaled by HPA hpa within 2 – 5',
    ],
  ])('[design 9] is read out in a sentence: %o', async (over, words) => {
    await showLane(over);
    expect(await figure()).toHaveAccessibleName(`Replicas of web over time: ${words}`);
  });

  it('[issue 14.2] says of a moment without values that there are none', async () => {
    await showLane({ ...EMPTY, samples: [{ ...sample, stageMin: null }] });
    const shown = await figure();
    shown.focus();
    expect(await within(shown).findByText('No values recorded for this time.')).toBeInTheDocument();
    expect(within(shown).queryByText('Actual')).toBeNull();
  });

  it.each<[string, Partial<RevisionScale>, string]>([
    ['few replicas', { ...EMPTY, actual: 1 }, '8'],
    ['its own bounds', { ...EMPTY, ownMax: 40 }, '44'],
    ['the bounds of the stage', { ...EMPTY, stageMax: 40 }, '44'],
    ['what is there', { ...EMPTY, actual: 40 }, '44'],
    ['what the stage allowed', { ...EMPTY, samples: [{ ...sample, stageMax: 40 }] }, '44'],
    ['what was wanted', { ...EMPTY, samples: [{ ...sample, desired: 40 }] }, '44'],
    ['what was there', { ...EMPTY, samples: [{ ...sample, actual: 40 }] }, '44'],
  ])('[design 9] has room for %s', async (_what, over, top) => {
    await showLane(over);
    expect(within(await figure()).getByText(top)).toBeInTheDocument();
  });

  it('[design 9] shares its scale with the others, has the time beneath the last, and the colour of its revision', async () => {
    const revisions = [lane({ ...EMPTY, role: 'old', actual: 40 }), lane({ ...EMPTY, role: 'new', revision: 'web-new', actual: 2 })];
    await show({ ...fixture(), revisions });
    const [old, young] = [await figure(), await figure(/^Replicas of web-new/)];
    expect([old, young].map((each) => within(each).queryByText('44') !== null)).toEqual([true, true]);
    expect([old, young].map((each) => each.querySelector('.recharts-xAxis') !== null)).toEqual([false, true]);
    expect(old).toHaveClass('lane-old');
    expect(young).toHaveClass('lane-new');
  });

  it.each([
    ['the present', 0, 3],
    ['a former', 1, 0],
  ])('[issue 9.3] of %s attempt marks what was decided in its time', async (_which, at, count) => {
    const rollout = { ...fixture(), revisions: [lane({ ownMin: null, ownMax: null })] };
    await show(rollout, rollout.attempts[at]);
    expect((await figure()).querySelectorAll('.recharts-reference-line')).toHaveLength(count);
  });

  it('[issue 9.3] marks what was decided at both ends of its time too, and nothing outside of it or without a time', async () => {
    const at = (seconds: number) => new Date(SCREEN_NOW - seconds * 1000).toISOString();
    const [present, past] = fixture().attempts;
    const attempt = { ...(past as AttemptView), startedAt: at(900), endedAt: at(800) };
    const times = [at(909), at(908), at(792), at(791), 'some day'];
    const decisions = times.map((createdAt) => ({
      ...(fixture().decisions[0] as RolloutDetail['decisions'][number]),
      key: createdAt,
      createdAt,
    }));
    const attempts = [present as AttemptView, attempt];
    const revisions = [lane({ ...EMPTY, samples: [{ ...sample, at: at(850), actual: 1 }] })];
    await show({ ...fixture(), revisions, attempts, decisions }, attempt);
    expect((await figure()).querySelectorAll('.recharts-reference-line')).toHaveLength(2);
  });

  it('[issue 9.3] without an attempt goes by the start of the rollout, up to now', async () => {
    const rollout = { ...fixture(), revisions: [lane({ ownMin: null, ownMax: null })] };
    const panel = await showScreen(<ScaleLanes rollout={rollout} attempt={undefined} />).then(() =>
      screen.getByText(/^traffic by pod ratio/),
    );
    expect(panel).not.toHaveTextContent('figures of now');
    expect((await figure()).querySelectorAll('.recharts-reference-line')).toHaveLength(3);
  });
});

describe('the chart of a revision that is out of date', () => {
  beforeEach(() => {
    vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockReturnValue({ width: 640, height: 140 } as DOMRect);
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('[issue 14.2] is dashed from the last known moment, and says what that means', async () => {
    const rollout = { ...fixture(), revisions: [lane({})] };
    const since = new Date(SCREEN_NOW - 47_000).toISOString();
    await showScreen(<ScaleLanes rollout={rollout} attempt={rollout.attempts[0]} staleSince={since} />);
    const figure = await screen.findByRole('figure', { name: /^Replicas of web over time/ });
    expect(figure.querySelectorAll('.recharts-line-curve[stroke-dasharray="5 4"]').length).toBe(2);
    expect(figure.querySelectorAll('.recharts-reference-area')).toHaveLength(1);
    expect(screen.getByText('last known, not confirmed since')).toBeInTheDocument();
    await userEvent.setup().click(screen.getByRole('button', { name: 'Show as table' }));
    expect(screen.getByText(/^Unknown since/)).toBeInTheDocument();
  });

  it('[issue 14.2] has nothing dashed while it is fresh', async () => {
    await showLane({});
    const figure = await screen.findByRole('figure', { name: /^Replicas of web over time/ });
    expect([...figure.querySelectorAll('.recharts-line-curve')].flatMap((line) => line.getAttribute('stroke-dasharray') ?? [])).toEqual([]);
    expect(screen.queryByText('last known, not confirmed since')).toBeNull();
  });

  it('[issue 14.2] tells its values to the keyboard, change by change', async () => {
    await showLane({});
    const figure = await screen.findByRole('figure', { name: /^Replicas of web over time/ });
    const user = userEvent.setup();
    expect(within(figure).queryByText('Actual')).toBeNull();
    figure.focus();
    const last = await within(figure).findByText('Actual');
    const time = () => last.closest('div')?.querySelector('p')?.textContent;
    const first = time();
    await user.keyboard('{ArrowLeft}');
    expect(time()).not.toBe(first);
    await user.keyboard('{Escape}');
    expect(within(figure).queryByText('Actual')).toBeNull();
  });
});
