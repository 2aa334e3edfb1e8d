'use client';

import { useQuery } from '@tanstack/react-query';
import { CheckCheck, Lock } from 'lucide-react';
import Link from 'next/link';
import type { FormEvent } from 'react';
import { useId, useState } from 'react';
import type { Staleness } from '@/components/live/staleness';
import { refusalWhileStale } from '@/components/live/staleness';
import { useCommand } from '@/components/live/use-command';
import { Button } from '@/components/ui/button';
import { Refusal } from '@/components/ui/data/error-panel';
import { GarbageList } from '@/components/ui/data/garbage-list';
import { QueryView } from '@/components/ui/data/query-view';
import { SkeletonRows } from '@/components/ui/data/skeleton';
import { TextArea } from '@/components/ui/form/field';
import { Dialog } from '@/components/ui/overlay/dialog';
import { showToast } from '@/components/ui/overlay/toast';
import type { ApplicationDetail } from '@/lib/contract/application-rows';
import type { GarbageView } from '@/lib/contract/tracker-rows';
import { applicationQueries } from './application-queries';
import type { HeldDecision } from './held-decision';
import { heldPair, toHeldDecision } from './held-decision';

export interface HeldPanelProps {
  readonly application: ApplicationDetail;
  readonly staleness: Staleness | null;
}

/** What a safety rule keeps from being deleted, and the decision that lets exactly that go. */
export function HeldPanel({ application, staleness }: HeldPanelProps) {
  const pair = heldPair(application);
  const [deciding, setDeciding] = useState<GarbageView | null>(null);
  const compared = useQuery({ ...applicationQueries.compare(pair?.from ?? '', pair?.to ?? ''), enabled: pair !== null });
  return (
    <section aria-labelledby="held" className="relative overflow-hidden rounded-lg border bg-panel shadow-panel">
      <span aria-hidden="true" className="absolute inset-y-0 left-0 w-[3px] bg-warn" />
      <div className="py-4 pr-5 pl-6">
        <h2 id="held" className="flex items-center gap-1.5 font-medium text-warn text-xs">
          <Lock size={13} aria-hidden /> A deletion waits for a decision
        </h2>
        <p className="mt-1.5 max-w-2xl text-pretty font-medium text-lg leading-6">{application.message}</p>
      </div>
      {pair === null ? (
        <p className="border-t px-6 py-3 text-ink-3">
          What is left over is listed by its{' '}
          <Link href={`/trackers?q=${application.name}`} className="rounded-sm text-accent hover:underline">
            trackers
          </Link>
          , object by object.
        </p>
      ) : (
        <div className="border-t">
          <QueryView query={compared} awaits="Reading what would be deleted." pending={<SkeletonRows rows={3} columns={2} />}>
            {(view) => (
              <>
                <GarbageList label="What would be deleted" rows={lostOf(view)} />
                <div className="border-t bg-sunken py-3 pr-5 pl-6">
                  <Button size="md" look="warning" blocked={refusalWhileStale(staleness)} onClick={() => setDeciding(view)}>
                    <CheckCheck size={14} aria-hidden /> Let exactly these go
                  </Button>
                </div>
              </>
            )}
          </QueryView>
        </div>
      )}
      {deciding ? <HeldDialog application={application} view={deciding} onClose={() => setDeciding(null)} /> : null}
    </section>
  );
}

function lostOf(view: GarbageView): GarbageView['rows'] {
  return view.rows.filter((row) => row.verdict === 'deleted' || row.verdict === 'held');
}

interface HeldDialogProps {
  readonly application: ApplicationDetail;
  /** The plan as it was when the dialog was opened: what is shown is what is sent. */
  readonly view: GarbageView;
  readonly onClose: () => void;
}

function HeldDialog({ application, view, onClose }: HeldDialogProps) {
  const [reason, setReason] = useState('');
  const formId = useId();
  const lost = lostOf(view);
  const command = useCommand<HeldDecision>(`/api/namespaces/${application.ns}/applications/${application.name}/decisions`, () => {
    showToast(`The decision about ${application.name} is on record. The engine looks at the plan again before it deletes anything.`);
    onClose();
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    command.send(toHeldDecision(application.uid, view, reason));
  };
  return (
    <Dialog
      open
      wide
      onOpenChange={(open) => !open && onClose()}
      title={`Let ${lost.length === 1 ? 'one object' : `${lost.length} objects`} of ${application.name} go`}
      description="Exactly these, or nothing: if the plan changes before they go, it is shown and decided again."
      footer={
        <>
          <Button size="md" look="ghost" onClick={onClose}>
            Cancel
          </Button>
          <Button size="md" look="danger" type="submit" form={formId} pending={command.isPending ? 'Sending…' : null}>
            Let them go
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={submit} className="space-y-4">
        <div className="max-h-64 overflow-y-auto rounded-md border">
          <GarbageList label="Objects that go" rows={lost} />
        </div>
        <TextArea
          label="Reason (optional)"
          hint="Kept on record with your name and what you saw."
          value={reason}
          maxLength={2000}
          onChange={(event) => setReason(event.target.value)}
        />
        {command.refusal ? <Refusal sentence={command.refusal} /> : null}
      </form>
    </Dialog>
  );
}
