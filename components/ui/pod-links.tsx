import { ScrollText } from 'lucide-react';
import Link from 'next/link';
import { buttonLook } from './button';

/** What can be looked at of a pod beside the object itself. */
export function PodLinks({ ns, name, size }: { readonly ns: string; readonly name: string; readonly size?: 'sm' | 'md' }) {
  return (
    <Link href={`/pods/${encodeURIComponent(ns)}/${encodeURIComponent(name)}/logs`} className={buttonLook({ size })}>
      <ScrollText size={13} aria-hidden /> Logs
    </Link>
  );
}
