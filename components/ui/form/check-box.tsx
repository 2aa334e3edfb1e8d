import type { ComponentProps } from 'react';
import { cx } from '../cx';

/** A box to tick, drawn with our tokens in light and dark, 24 px to hit around the 14 that are drawn; with forced colours it is the browser's own. */
export function CheckBox({ className, ...rest }: Omit<ComponentProps<'input'>, 'type'>) {
  return (
    <input
      type="checkbox"
      className={cx(
        '-m-[5px] inline-grid size-6 shrink-0 cursor-pointer appearance-none place-content-center rounded-sm',
        'before:size-3.5 before:rounded-sm before:border before:border-ink-3 before:bg-raised before:[grid-area:1/1] checked:before:border-accent-fill checked:before:bg-accent-fill',
        'after:size-2.5 after:scale-0 after:place-self-center after:bg-white after:[clip-path:polygon(14%_46%,4%_58%,40%_90%,96%_22%,84%_12%,38%_68%)] after:[grid-area:1/1] checked:after:scale-100',
        'forced-colors:m-0 forced-colors:size-3.5 forced-colors:appearance-auto forced-colors:after:hidden forced-colors:before:hidden',
        className,
      )}
      {...rest}
    />
  );
}
