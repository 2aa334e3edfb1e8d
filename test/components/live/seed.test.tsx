import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { EngineScreen } from '@/components/engine/engine-screen';
import { Seed } from '@/components/live/seed';
import { answerFetch, showScreen } from '@/test/support/screen';

const refused = [{ topic: 'engine', code: 'forbidden', message: 'mara may not see the engine.' }];

describe('a page that comes with a refusal', () => {
  it('[design 8] says so at once, and asks no second time for what it may not see', async () => {
    using log = answerFetch({});
    await showScreen(
      <Seed windows={[]} refused={refused} rights={[]}>
        <EngineScreen />
      </Seed>,
    );
    expect(screen.getByRole('alert')).toHaveTextContent('Access denied');
    expect(screen.getByRole('alert')).toHaveTextContent('mara may not see the engine.');
    expect(screen.getByRole('heading', { level: 1, name: 'Engine' })).toBeInTheDocument();
    expect(log.sent).toEqual([]);
  });
});
