import type { ReactNode } from 'react';
import { Empty } from '@/components/ui/data/empty';
import type { Within } from '@/lib/contract/lists/within';
import { t } from '@/lib/words/catalogue/console/filters';
import type { Listed } from '@/lib/words/lists/listed-resources';
import { nameListed } from '@/lib/words/lists/listed-resources';

export interface WithinProps {
  readonly within: Within;
  /** What is listed: "rollouts". */
  readonly noun: string;
  /** The list whose rights it takes to see more. */
  readonly of: Listed;
}

/** What stands where a list is empty for whoever may see some namespaces only: nobody knows from it that there is nothing at all. */
export function NothingWithin({ icon, ...props }: WithinProps & { readonly icon?: ReactNode }) {
  return (
    <Empty icon={icon} title={t.noneThatYouMaySee(props.noun)}>
      <WithinNote {...props} />
    </Empty>
  );
}

/** Something counted, and the namespaces that it is counted in where whoever reads may see these only. */
export function formatWithin(counted: string, within: Within | undefined): string {
  return within === undefined ? counted : t.onlyIn(counted, within);
}

/** Below a list: of which namespaces its rows and its count are, for whoever may see these only. */
export function WithinFooter(props: WithinProps) {
  return (
    <p role="note" className="border-t px-4 py-1.5 text-pretty text-ink-3 text-xs">
      <WithinNote {...props} />
    </p>
  );
}

/** Where whoever reads may look, and what they lack elsewhere. */
export function WithinNote({ within, noun, of }: WithinProps) {
  return (
    <>
      {t.youMaySeeOnlyThoseIn(noun, within)} {t.othersRequireTheRight(nameListed(of))}
    </>
  );
}
