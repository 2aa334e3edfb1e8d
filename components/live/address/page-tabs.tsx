'use client';

import type { TabsProps } from '@/components/ui/tabs';
import { Tabs } from '@/components/ui/tabs';
import { useChoices } from './choices';

/** The tabs of a page; the one that is open lives in the address, unless it is the first. */
export function PageTabs({ tabs, label }: Pick<TabsProps, 'tabs' | 'label'>) {
  const { chosen, choose } = useChoices();
  const first = tabs[0]?.id;
  return (
    <Tabs label={label} tabs={tabs} shown={chosen.get('tab') ?? undefined} onShow={(tab) => choose({ tab: tab === first ? null : tab })} />
  );
}
