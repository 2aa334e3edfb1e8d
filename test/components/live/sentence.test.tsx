import { render } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { Sentence } from '@/components/live/sentence';

describe('a sentence of the server', () => {
  it('[style 3.5] shows the moments in it as times of the reader, and leaves the rest as it is', () => {
    const { container } = render(
      <p>
        <Sentence text="pods are kept until 2026-11-21T11:51:47Z, then parked" />
      </p>,
    );
    expect(container.querySelector('time')).toHaveAttribute('dateTime', '2026-11-21T11:51:47Z');
    expect(container.textContent).toMatch(/^pods are kept until \d\d:\d\d:\d\d, then parked$/);
  });

  it('[style 3.5] without a moment is itself', () => {
    expect(render(<Sentence text="all traffic goes to web-v2" />).container.textContent).toBe('all traffic goes to web-v2');
  });
});
