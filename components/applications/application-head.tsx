'use client';

import { FileCode2, ListChecks, ScrollText } from 'lucide-react';
import Link from 'next/link';
import type { Staleness } from '@/components/live/staleness';
import { Button, buttonVariants } from '@/components/ui/button';
import { ObjectHead } from '@/components/ui/object-head';
import { ActivityMark } from '@/components/ui/status/status';
import { Sentence } from '@/components/ui/time/sentence';
import type { ApplicationDetail } from '@/lib/contract/application-rows';
import { t } from '@/lib/words/catalogue/delivery/applications';
import { ApplicationActs } from './acts/application-acts';
import { applicationBreadcrumbs } from './application-breadcrumbs';
import { movedChange } from './changes/moved-rows';

/** What was sent back, before what is said of what runs. A change that waits has a panel of its own that says why. */
function HeadNote({ application }: { readonly application: ApplicationDetail }) {
  const { notice, message } = application;
  const waits = movedChange(application);
  return (
    <>
      {notice === null || notice === message ? null : (
        <span className="block text-warn">
          <Sentence text={notice} />
        </span>
      )}
      {waits !== null && message.toLowerCase() === waits.toLowerCase() ? null : <Sentence text={message} />}
    </>
  );
}

export interface ApplicationHeadProps {
  readonly application: ApplicationDetail;
  /** Why it cannot be changed. */
  readonly refusal: string | null;
  readonly staleness: Staleness | null;
}

/** The head of an application's page: its name, how it is, and what can be done about it. */
export function ApplicationHead({ application, refusal, staleness }: ApplicationHeadProps) {
  const { ns, name, health, activity, deleting, rollout } = application;
  return (
    <ObjectHead
      breadcrumbs={applicationBreadcrumbs(ns)}
      name={name}
      health={health}
      marks={<ActivityMark activity={deleting && activity !== 'suspended' ? 'deleting' : activity} className="font-medium" />}
      note={<HeadNote application={application} />}
      actions={
        <>
          <Link href={`/applications/${ns}/${name}/logs`} className={buttonVariants({ look: 'secondary', size: 'md' })}>
            <ScrollText size={14} aria-hidden /> {t.logs}
          </Link>
          {refusal !== null ? (
            <Button size="md" blocked={refusal}>
              <FileCode2 size={14} aria-hidden /> {t.edit}
            </Button>
          ) : (
            <Link href={`/applications/${ns}/${name}/edit`} className={buttonVariants({ look: 'secondary', size: 'md' })}>
              <FileCode2 size={14} aria-hidden /> {t.edit}
            </Link>
          )}
          <ApplicationActs application={application} staleness={staleness} />
          {/* What is not always there stands where nothing else moves for it: last, and first where the line ends at the right edge. */}
          {rollout ? (
            <Link
              href={`/rollouts/${rollout.ns}/${rollout.name}`}
              className={buttonVariants({ look: 'secondary', size: 'md', className: 'sm:order-first' })}
            >
              {t.openTheRollout}
            </Link>
          ) : null}
          {application.trackers.length > 1 || deleting ? (
            <Link
              href={`/applications/${ns}/${name}/preview`}
              className={buttonVariants({ look: 'secondary', size: 'md', className: 'sm:order-first' })}
            >
              <ListChecks size={14} aria-hidden /> {t.pendingDeletions}
            </Link>
          ) : null}
        </>
      }
    />
  );
}
