'use client';

import type { TabsProps } from '@/components/ui/tabs';
import { Tabs } from '@/components/ui/tabs';
import { changeListUrl } from './list-url';
import { useAddress } from './use-address';

/** The tabs of a page; the one that is open lives in the address, unless it is the first. */
export function PageTabs({ tabs, label }: Pick<TabsProps, 'tabs' | 'label'>) {
  const { params, write } = useAddress();
  const first = tabs[0]?.id;
  const show = (tab: string) => write(changeListUrl(new URLSearchParams(globalThis.location.search), { tab: tab === first ? null : tab }));
  return <Tabs label={label} tabs={tabs} shown={params.get('tab') ?? undefined} onShow={show} />;
}
