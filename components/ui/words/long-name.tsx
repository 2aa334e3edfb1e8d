import { cx } from '@/components/ui/cx';

/**
 * A name in one line. Where there is no room for all of it, its beginning gives way: what tells two images, two revisions or two pods apart stands at the end.
 * A line from right to left is cut at its left; what is in it reads as ever.
 */
export function LongName({ name, className }: { readonly name: string; readonly className?: string }) {
  return (
    <span dir="rtl" title={name} className={cx('block min-w-0 truncate text-left', className)}>
      <bdi dir="ltr">{name}</bdi>
    </span>
  );
}
