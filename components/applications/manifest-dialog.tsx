'use client';

import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useCommand } from '@/components/live/use-command';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Refusal } from '@/components/ui/data/error-panel';
import { QueryView } from '@/components/ui/data/query-view';
import { Skeleton } from '@/components/ui/data/skeleton';
import { YamlEditor } from '@/components/ui/form/yaml-editor';
import { Dialog } from '@/components/ui/overlay/dialog';
import { showToast } from '@/components/ui/overlay/toast';
import type { Tone } from '@/components/ui/status/tone';
import type { ApplyRequest } from '@/lib/contract/requests';
import type { PreviewedChange } from './application-queries';
import { applicationQueries, readPreview } from './application-queries';

const VERDICT_TONE: Readonly<Record<string, Tone>> = { new: 'good', changed: 'busy', deleted: 'bad', held: 'warn', unknown: 'odd' };

const TEMPLATE = `apiVersion: core.oam.dev/v1beta1
kind: Application
metadata:
  name: example
  namespace: default
spec:
  components:
    - name: web
      type: webservice
      properties:
        image: nginx:1.27
        port: 80
      traits:
        - type: scaler
          properties:
            replicas: 4
  policies:
    - name: staged
      type: rollout
      properties:
        strategy: availability
        ratio: 25
`;

/** An application as text: write it, see what it would do object by object, then apply exactly that text. */
export function EditDialog({ ns, name, onClose }: { readonly ns: string; readonly name: string; readonly onClose: () => void }) {
  const manifest = useQuery(applicationQueries.manifest(ns, name));
  if (manifest.data && !manifest.data.masked) return <ManifestDialog title={`Edit ${name}`} initial={manifest.data.manifest} onClose={onClose} />;
  return (
    <Dialog open wide onOpenChange={(open) => !open && onClose()} title={`Edit ${name}`}>
      <QueryView query={manifest} awaits={`Reading ${name} as it is in the cluster.`} pending={<Skeleton className="h-[46dvh] w-full" />}>
        {() => (
          <Refusal sentence="This application holds values of Secrets, which never leave the server. Change it with kubectl, or move the values into a Secret of its own." />
        )}
      </QueryView>
    </Dialog>
  );
}

/** A new application, from a template that rolls out in stages. */
export function NewDialog({ onClose }: { readonly onClose: () => void }) {
  return <ManifestDialog title="New application" initial={TEMPLATE} onClose={onClose} />;
}

interface ManifestDialogProps {
  readonly title: string;
  readonly initial: string;
  readonly onClose: () => void;
}

function ManifestDialog({ title, initial, onClose }: ManifestDialogProps) {
  const [text, setText] = useState(initial);
  const preview = useMutation({ mutationFn: async (manifest: string) => ({ manifest, changes: await readPreview(manifest) }), retry: false });
  const command = useCommand<ApplyRequest>('/api/applications', (accepted) => {
    showToast(`${accepted.name} is applied. What follows is shown on its page.`);
    onClose();
  });
  const seen = preview.data?.manifest === text ? preview.data.changes : null;
  const refusal = command.refusal ?? preview.error?.message;
  return (
    <Dialog
      open
      wide
      onOpenChange={(open) => !open && onClose()}
      title={title}
      description="Preview says what it would do, object by object. Nothing is changed before you apply."
      footer={
        <>
          <Button size="md" look="ghost" onClick={onClose}>
            Cancel
          </Button>
          <Button size="md" onClick={() => preview.mutate(text)} pending={preview.isPending ? 'Working it out…' : null}>
            Preview
          </Button>
          <Button
            size="md"
            look="primary"
            blocked={seen === null ? 'Preview this text first.' : null}
            pending={command.isPending ? 'Applying…' : null}
            onClick={() => command.send({ manifest: text })}
          >
            Apply
          </Button>
        </>
      }
    >
      <div className="space-y-3">
        <YamlEditor label="Manifest" value={text} onChange={setText} />
        {refusal ? <Refusal sentence={refusal} /> : null}
        {seen === null ? null : <Changes changes={seen} />}
      </div>
    </Dialog>
  );
}

function Changes({ changes }: { readonly changes: readonly PreviewedChange[] }) {
  const moved = changes.filter((change) => change.verdict !== 'kept');
  const kept = changes.length - moved.length;
  return (
    <section aria-label="What applying does">
      <h3 className="mb-1.5 font-medium text-ink-3 text-xs">
        {moved.length === 0 ? 'Nothing differs from the cluster' : `${moved.length} of ${changes.length} objects change`}
        {moved.length > 0 && kept > 0 ? `, ${kept} stay as they are` : ''}
      </h3>
      <ul className="max-h-44 divide-y overflow-y-auto rounded-md border empty:hidden">
        {moved.map((change) => (
          <li key={`${change.id} ${change.verdict}`} className="flex items-start gap-3 px-3 py-1.5">
            <Badge tone={VERDICT_TONE[change.verdict] ?? 'idle'} className="mt-px w-16 justify-center">
              {change.verdict}
            </Badge>
            <div className="min-w-0">
              <p className="font-medium">{change.id}</p>
              <p className="text-ink-3 text-xs">{change.why}</p>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
