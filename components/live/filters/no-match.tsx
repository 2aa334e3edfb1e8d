import type { ReactNode } from 'react';
import { Button } from '@/components/ui/button';
import { Empty } from '@/components/ui/data/empty';
import { t } from '@/lib/words/catalogue/console/filters';

export interface NoMatchProps {
  readonly title: string;
  /** What to change. */
  readonly children: ReactNode;
  readonly onClear: () => void;
}

/** What stands where filters match nothing: they can be taken away there, also where the screen is too narrow to show them. */
export function NoMatch({ title, children, onClear }: NoMatchProps) {
  return (
    <Empty title={title} action={<Button onClick={onClear}>{t.clearFilters}</Button>}>
      {children}
    </Empty>
  );
}
