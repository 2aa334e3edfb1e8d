import type { Metadata } from 'next';
import { RolloutScreen } from '@/components/rollouts/rollout-screen';
import { showHidden } from '@/lib/words/show-hidden';
import { Seeded } from '../../../../reads';

interface Props {
  params: Promise<{ ns: string; name: string }>;
}

/** The title of the window: which rollout it is. */
export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: showHidden((await params).name) };
}

/** One rollout, read before the first paint. */
export default async function RolloutPage({ params }: Props) {
  const { ns, name } = await params;
  return (
    <Seeded topics={[{ kind: 'rollout', ns, name }]} rights={[{ kind: 'rollout', ns, name }]}>
      <RolloutScreen ns={ns} name={name} />
    </Seeded>
  );
}
