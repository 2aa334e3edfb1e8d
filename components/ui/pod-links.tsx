import { ScrollText, SquareTerminal } from 'lucide-react';
import Link from 'next/link';
import { t } from '@/lib/words/catalogue/console/ui';
import { buttonLook } from './button';

/** What can be looked at of a pod beside the object itself, and a way into it. */
export function PodLinks({ ns, name, size }: { readonly ns: string; readonly name: string; readonly size?: 'sm' | 'md' }) {
  const pod = `/pods/${encodeURIComponent(ns)}/${encodeURIComponent(name)}`;
  return (
    <span className="flex gap-2">
      <Link href={`${pod}/logs`} className={buttonLook({ size })}>
        <ScrollText size={13} aria-hidden /> {t.logs}
      </Link>
      <Link href={`${pod}/terminal`} className={buttonLook({ size })}>
        <SquareTerminal size={13} aria-hidden /> {t.terminal}
      </Link>
    </span>
  );
}
