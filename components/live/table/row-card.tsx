import type { ReactNode } from 'react';
import { Sentence } from '@/components/ui/time/sentence';

export interface RowCardProps {
  readonly name: ReactNode;
  readonly mark: ReactNode;
  readonly sentence: string;
  /** What else the row has, below its sentence. */
  readonly children: ReactNode;
}

/** A row of a list where a table has no room: its name beside its mark, and its sentence. */
export function RowCard({ name, mark, sentence, children }: RowCardProps) {
  return (
    <>
      <div className="flex items-center gap-2">
        <span className="line-clamp-3 min-w-0 flex-1 font-medium wrap-anywhere">{name}</span>
        {mark}
      </div>
      <p className="mt-1 line-clamp-2 text-ink-2 wrap-anywhere">
        <Sentence text={sentence} />
      </p>
      {children}
    </>
  );
}
