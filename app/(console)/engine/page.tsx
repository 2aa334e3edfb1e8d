import type { Metadata } from 'next';
import { EngineScreen } from '@/components/engine/engine-screen';
import { t } from '@/lib/words/catalogue/console/pages';
import { Seeded } from '../../reads';

export const metadata: Metadata = { title: t.engine };

/** How the engine itself is. */
export default function EnginePage() {
  return (
    <Seeded topics={[{ kind: 'engine' }]}>
      <EngineScreen />
    </Seeded>
  );
}
