import type { ComponentProps } from 'react';
import { cx } from '../cx';

/** A box to tick, drawn with our tokens in light and dark; with forced colours it is the browser's own. */
export function CheckBox({ className, ...rest }: Omit<ComponentProps<'input'>, 'type'>) {
  return (
    <input
      type="checkbox"
      className={cx(
        'inline-grid size-3.5 shrink-0 cursor-pointer appearance-none place-content-center rounded-sm border border-ink-3 bg-raised checked:border-accent-fill checked:bg-accent-fill forced-colors:appearance-auto',
        'before:size-2.5 before:scale-0 before:bg-white before:[clip-path:polygon(14%_46%,4%_58%,40%_90%,96%_22%,84%_12%,38%_68%)] checked:before:scale-100',
        className,
      )}
      {...rest}
    />
  );
}
