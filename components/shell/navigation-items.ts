import { Activity, Anchor, Box, Boxes, Gauge, Inbox, Layers, Ship } from 'lucide-react';
import type { ComponentType } from 'react';
import { t } from '@/lib/words/catalogue/console/shell';

export interface Place {
  readonly href: string;
  readonly label: string;
  /** Where eight of them stand side by side on a narrow screen. */
  readonly short?: string;
  readonly icon: ComponentType<{ size?: number; strokeWidth?: number; 'aria-hidden'?: boolean; className?: string }>;
  /** Second key of the shortcut that starts with G. */
  readonly key: string;
}

/** The pages of the rail, in their order. */
export const NAVIGATION_ITEMS: readonly Place[] = [
  { href: '/', label: t.inbox, icon: Inbox, key: 'i' },
  { href: '/applications', label: t.applications, short: t.apps, icon: Box, key: 'a' },
  { href: '/rollouts', label: t.rollouts, icon: Anchor, key: 'r' },
  { href: '/releases', label: t.releases, icon: Ship, key: 'h' },
  { href: '/trackers', label: t.trackers, icon: Layers, key: 't' },
  { href: '/objects', label: t.objects, icon: Boxes, key: 'o' },
  { href: '/activity', label: t.activity, icon: Activity, key: 'y' },
  { href: '/engine', label: t.engine, icon: Gauge, key: 'e' },
];

/** Whether a path lies below a place. */
export function isWithin(place: Place, path: string): boolean {
  return place.href === '/' ? path === '/' : path === place.href || path.startsWith(`${place.href}/`);
}
