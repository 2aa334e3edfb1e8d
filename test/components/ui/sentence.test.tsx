import { act, render } from '@testing-library/react';
import { hydrateRoot } from 'react-dom/client';
import { renderToString } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { Ago } from '@/components/live/ago';
import { InsideTarget } from '@/components/ui/time/exact-time';
import { Sentence, ShortSentence } from '@/components/ui/time/sentence';
import { RenderedAt } from '@/components/ui/time/use-now';
import { ZoneContext } from '@/components/ui/time/zone';
import { parseZone } from '@/lib/words/times';

const KEPT = 'pods are kept until 2026-11-21T11:51:47Z, then parked';
const NOW = Date.UTC(2026, 10, 21, 11, 40);

function inKolkata(element: React.ReactElement, now = NOW) {
  return (
    <RenderedAt value={now}>
      <ZoneContext value={parseZone('Asia/Kolkata')}>
        <p>{element}</p>
      </ZoneContext>
    </RenderedAt>
  );
}

describe('a sentence of the server', () => {
  it('[style 3.5] shows the moments in it in the zone of the page, and leaves the rest as it is', () => {
    const html = renderToString(inKolkata(<Sentence text={KEPT} />));
    expect(html).toContain('pods are kept until <time dateTime="2026-11-21T11:51:47Z" title="21 Nov 2026, 17:21:47 UTC+5:30"');
    expect(html).toContain('>17:21:47</time>, then parked');
  });

  it('[issue 14.3] keeps flags of commands whole, and breaks nothing else from its dashes', () => {
    const html = renderToString(<Sentence text="run slipway grant --namespace web-v2 -o yaml -- x" />);
    const whole = (flag: string) => `<span class="whitespace-nowrap">${flag}</span>`;
    expect(html).toBe(`run slipway grant ${whole('--namespace')} web-v2 ${whole('-o')} yaml -- x`);
  });

  it('[style 3.5] names UTC while the zone is not known', () => {
    expect(
      renderToString(
        <RenderedAt value={NOW}>
          <Sentence text={KEPT} />
        </RenderedAt>,
      ),
    ).toContain('>11:51:47 UTC</time>');
  });

  it('[style 3.5] says the day of a moment that is not today, also in a title', () => {
    const html = renderToString(inKolkata(<ShortSentence text={KEPT} />, NOW + 86_400_000));
    expect(html).toContain('title="pods are kept until 21 Nov 2026, 17:21:47, then parked"');
    expect(html).toContain('>21 Nov 2026, 17:21:47</time>');
  });

  it('[style 3.5] without a moment is itself', () => {
    expect(render(<Sentence text="all traffic goes to web-v2" />).container.textContent).toBe('all traffic goes to web-v2');
  });
});

describe('a time on a page', () => {
  it('[style 3.5] is painted by the browser as the server wrote it', async () => {
    const now = Date.now();
    const page = inKolkata(
      <>
        <Ago at={new Date(now - 86_400_000).toISOString()} /> <Sentence text={KEPT} />
      </>,
      now,
    );
    const container = document.createElement('div');
    container.innerHTML = renderToString(page);
    const painted = container.innerHTML;
    const faults: unknown[] = [];
    const root = await act(async () => hydrateRoot(container, page, { onRecoverableError: (error) => faults.push(error) }));
    expect(container.innerHTML).toBe(painted);
    expect(faults).toEqual([]);
    act(() => root.unmount());
  });

  it('[design 9] takes the focus, so that the exact one can be read without a mouse, but not inside of what takes it already', () => {
    const at = '2026-11-21T11:51:47Z';
    const { container } = render(inKolkata(<Ago at={at} />));
    expect(container.querySelector('time')).toHaveAttribute('tabindex', '0');
    expect(container.querySelector('time')).toHaveAttribute('data-exact', '21 Nov 2026, 17:21:47 UTC+5:30');
    const within = render(
      inKolkata(
        <InsideTarget value={true}>
          <Ago at={at} />
        </InsideTarget>,
      ),
    ).container;
    expect(within.querySelector('time')).not.toHaveAttribute('tabindex');
  });
});
