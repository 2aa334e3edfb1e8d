import { cookies } from 'next/headers';
import type { ReactNode } from 'react';
import { LiveProvider } from '@/components/live/live-provider';
import { readRenderedAt } from '@/components/live/rendered-at';
import { Shell } from '@/components/shell/shell';
import { parseTheme, THEME_COOKIE } from '@/components/shell/theme';
import { ZONE_COOKIE } from '@/components/ui/time/zone-cookie';
import { parseZone } from '@/lib/words/times';
import { requireReads, Seeded } from '../reads';

export const dynamic = 'force-dynamic';

/** The frame of the console, for whoever is signed in: live data, the rail and the cluster it shows. */
export default async function ConsoleLayout({ children }: { children: ReactNode }) {
  const { session } = await requireReads();
  const held = await cookies();
  const theme = parseTheme(held.get(THEME_COOKIE)?.value);
  const zone = parseZone(held.get(ZONE_COOKIE)?.value);
  return (
    <LiveProvider renderedAt={readRenderedAt()} zone={zone}>
      <Seeded topics={[{ kind: 'status' }]}>
        <Shell session={session} theme={theme}>
          {children}
        </Shell>
      </Seeded>
    </LiveProvider>
  );
}
