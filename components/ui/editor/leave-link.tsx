import Link from 'next/link';
import { t } from '@/lib/words/catalogue/console/ui';
import { buttonVariants } from '../button';
import { cx } from '../cx';

interface LeaveLinkProps {
  readonly href: string;
  /** Whether something was written that leaving throws away. */
  readonly isDirty: boolean;
  /** Called when it is taken. */
  readonly onLeave?: () => void;
  readonly className?: string;
}

/** The way out of an editor, which says so where it costs what was written. */
export function LeaveLink({ href, isDirty, onLeave, className }: LeaveLinkProps) {
  return (
    <Link data-discards="" href={href} onClick={() => onLeave?.()} className={cx(buttonVariants({ look: 'ghost', size: 'md' }), className)}>
      {isDirty ? t.discardChangesAndLeave : t.leaveTheEditor}
    </Link>
  );
}
