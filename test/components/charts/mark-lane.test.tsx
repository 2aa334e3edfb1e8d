import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { MarkLane } from '@/components/rollouts/mark-lane';
import type { RolloutDetail } from '@/lib/contract/rollout-rows';
import { DECISION_PHASES } from '@/lib/contract/stage-decision';
import { rolloutDetail } from '@/test/support/fixture/rollouts';
import { backFrom } from '@/test/support/fixture/times';
import { SCREEN_NOW, showScreen } from '@/test/support/screen';

const fixture = () => rolloutDetail(backFrom(SCREEN_NOW));

describe('the marks of decisions and events', () => {
  const [from, to] = [Date.parse('2026-11-20T09:00:00Z'), Date.parse('2026-11-20T10:00:00Z')];
  const decision = (createdAt: string, phase: RolloutDetail['decisions'][number]['phase']) => ({
    ...(fixture().decisions[0] as RolloutDetail['decisions'][number]),
    key: createdAt,
    createdAt,
    phase,
  });
  const entry = (at: string) => ({ key: at, at, actor: 'rollout', action: 'ready', message: 'Stage 1 is complete.' });

  async function showMarks(decisions: RolloutDetail['decisions'], timeline: RolloutDetail['timeline']) {
    await showScreen(<MarkLane decisions={decisions} timeline={timeline} span={[from, to]} />);
    return screen.getByRole('img');
  }

  it('[issue 14.2] are told apart by shape, in the lane as in its legend, for whoever sees no colours', async () => {
    const at = '2026-11-20T09:15:00Z';
    const lane = await showMarks(
      DECISION_PHASES.map((phase) => decision(at, phase)),
      [],
    );
    const shapeOf = (mark: Element) =>
      [...mark.querySelectorAll('path')]
        .map((path) => `${path.getAttribute('d')} ${/fill-panel/.test(path.getAttribute('class') ?? '')}`)
        .join();
    const shapes = [...lane.querySelectorAll('svg')].map(shapeOf);
    expect(new Set(shapes).size).toBe(DECISION_PHASES.length);
    const legend = within(screen.getByRole('list', { name: 'Marks' })).getAllByRole('listitem');
    expect(legend.slice(0, -1).map(shapeOf)).toEqual(shapes);
  });

  it('[design 9] stand where they fall on the axis, and not at all outside of it', async () => {
    const times = ['2026-11-20T08:59:00Z', '2026-11-20T09:15:00Z', '2026-11-20T10:01:00Z'];
    const lane = await showMarks(
      times.map((at) => decision(at, 'Accepted')),
      times.map(entry),
    );
    expect([...lane.querySelectorAll('circle')].map((mark) => mark.getAttribute('cx'))).toEqual(['25%']);
    expect([...lane.querySelectorAll('svg')].map((mark) => mark.getAttribute('x'))).toEqual(['25%']);
    expect([...lane.querySelectorAll('title')].map(({ textContent }) => textContent)).toEqual([
      'ready: Stage 1 is complete.',
      'Approve by mara: Accepted',
    ]);
    expect(lane).toHaveAccessibleName('3 decisions and 3 events over the time shown');
  });

  it('[design 9] stand at both ends of the axis too, and nowhere without a time', async () => {
    const times = ['2026-11-20T09:00:00Z', '2026-11-20T10:00:00Z', 'some day'];
    const lane = await showMarks(
      times.map((at) => decision(at, 'Accepted')),
      times.map(entry),
    );
    expect([...lane.querySelectorAll('circle')].map((mark) => mark.getAttribute('cx'))).toEqual(['0%', '100%']);
    expect([...lane.querySelectorAll('svg')].map((mark) => mark.getAttribute('x'))).toEqual(['0%', '100%']);
  });

  it('[design 9] tell accepted, rejected and open decisions apart', async () => {
    const at = (minute: number) => `2026-11-20T09:${minute}:00Z`;
    const lane = await showMarks([decision(at(10), 'Accepted'), decision(at(20), 'Rejected'), decision(at(30), 'Pending')], []);
    expect([...lane.querySelectorAll('path:first-child')].map((mark) => mark.getAttribute('class'))).toEqual([
      'fill-good',
      'fill-bad',
      'fill-panel stroke-warn stroke-2',
    ]);
    expect(lane).toHaveAccessibleName('3 decisions and 0 events over the time shown');
  });
});
