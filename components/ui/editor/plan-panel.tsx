'use client';

import type { ReactNode } from 'react';
import { useEffect, useRef } from 'react';
import { Panel } from '../panel';

export interface PlanPanelProps<Plan> {
  readonly title: string;
  /** Null until it was worked out, and again once something else is wanted. */
  readonly plan: Plan | null;
  readonly children: (plan: Plan) => ReactNode;
}

/** What a change of a text does, once that is known: whoever asked for it is brought to it. */
export function PlanPanel<Plan>({ title, plan, children }: PlanPanelProps<Plan>) {
  const heading = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    if (plan !== null) heading.current?.focus();
  }, [plan]);
  if (plan === null) return null;
  return (
    <Panel
      title={
        <span ref={heading} tabIndex={-1} className="outline-none">
          {title}
        </span>
      }
    >
      <div className="space-y-4 px-4 py-3">{children(plan)}</div>
    </Panel>
  );
}
