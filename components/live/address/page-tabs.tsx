'use client';

import type { TabsProps } from '@/components/ui/tabs';
import { Tabs } from '@/components/ui/tabs';
import { useChoices } from './choices';

interface PageTabsProps extends Pick<TabsProps, 'tabs' | 'label'> {
  /** What a link chose in one tab, and whoever chooses another tab has left. */
  readonly forgets?: string;
}

/** The tabs of a page; the one that is open lives in the address, unless it is the first. */
export function PageTabs({ tabs, label, forgets }: PageTabsProps) {
  const { chosen, choose } = useChoices();
  const first = tabs[0]?.id;
  const show = (tab: string) => choose({ ...(forgets === undefined ? {} : { [forgets]: null }), tab: tab === first ? null : tab });
  return <Tabs label={label} tabs={tabs} shown={chosen.get('tab') ?? undefined} onShow={show} />;
}
