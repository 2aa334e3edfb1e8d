import { ScrollText, SquareTerminal } from 'lucide-react';
import Link from 'next/link';
import { t } from '@/lib/words/catalogue/console/ui';
import { buttonVariants } from './button';

/** What can be looked at of a pod beside the object itself, and a way into it. */
export function PodLinks({ ns, name, size }: { readonly ns: string; readonly name: string; readonly size?: 'sm' | 'md' }) {
  const pod = `/pods/${encodeURIComponent(ns)}/${encodeURIComponent(name)}`;
  return (
    <span className="flex gap-2">
      <Link href={`${pod}/logs`} className={buttonVariants({ size })}>
        <ScrollText size={13} aria-hidden /> {t.logs}
      </Link>
      <Link href={`${pod}/terminal`} className={buttonVariants({ size })}>
        <SquareTerminal size={13} aria-hidden /> {t.terminal}
      </Link>
    </span>
  );
}
