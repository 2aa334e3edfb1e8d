'use client';

import { useQuery } from '@tanstack/react-query';
import { RotateCcw } from 'lucide-react';
import { usePathname, useSearchParams } from 'next/navigation';
import { useState } from 'react';
import { objectQueries } from '@/components/objects/object-queries';
import { asSentence } from '@/components/ui/as-sentence';
import { Button } from '@/components/ui/button';
import { ErrorPanel, titleOfError } from '@/components/ui/data/error-panel';
import { SelectBox } from '@/components/ui/form/field';
import { PageHead } from '@/components/ui/page-head';
import { Panel } from '@/components/ui/panel';
import { Sentence } from '@/components/ui/time/sentence';
import { kindHref, objectHref } from '@/lib/contract/object-address';
import { t } from '@/lib/words/catalogue/objects/terminal';
import { TerminalPane } from './terminal-pane';
import type { TerminalState } from './terminal-state';

/** A terminal in a container of a pod, opened as the person. */
export function TerminalScreen({ ns, pod }: { readonly ns: string; readonly pod: string }) {
  const container = useSearchParams().get('container') ?? undefined;
  const [state, setState] = useState<TerminalState>({ kind: 'opening' });
  const [tries, setTries] = useState(0);
  const again = () => {
    setState({ kind: 'opening' });
    setTries(tries + 1);
  };
  const pods = { label: t.pods, href: kindHref({ group: '', named: 'pods' }) };
  const breadcrumbs = [
    { label: t.objects, href: '/objects' },
    pods,
    { label: pod, href: objectHref({ apiVersion: 'v1', kind: 'Pod', ns, name: pod }) },
  ];
  const isRefused = state.kind === 'ended' && !state.wasOpen;
  return (
    <>
      <PageHead
        breadcrumbs={breadcrumbs}
        title={t.terminal}
        note={<Note state={state} ns={ns} pod={pod} />}
        actions={
          <>
            <ContainerBox
              ns={ns}
              pod={pod}
              container={container ?? (state.kind === 'open' ? state.container : undefined)}
              onState={setState}
            />
            {state.kind === 'ended' ? <Again onAgain={again} /> : null}
          </>
        }
      />
      <Panel className="overflow-hidden">
        {isRefused ? (
          <ErrorPanel title={titleOfError(state.code ?? 'unreachable')} sentence={state.sentence} commands={state.grant ?? []} />
        ) : (
          <TerminalPane
            key={`${tries} ${container ?? ''}`}
            asked={{ ns, pod, ...(container === undefined ? {} : { container }) }}
            onState={setState}
          />
        )}
        {state.kind === 'ended' && state.wasOpen ? (
          <p role="alert" className="border-t bg-warn-soft px-4 py-2 text-warn">
            <Sentence text={t.ended(asSentence(state.sentence))} />
          </p>
        ) : null}
      </Panel>
    </>
  );
}

interface ContainerBoxProps {
  readonly ns: string;
  readonly pod: string;
  readonly container: string | undefined;
  readonly onState: (state: TerminalState) => void;
}

/** In which container the shell is; to choose another one ends it and opens one there. */
function ContainerBox({ ns, pod, container, onState }: ContainerBoxProps) {
  const pods = useQuery(objectQueries.pods({ group: '', named: 'pods', ns, name: pod })).data?.pods ?? [];
  const path = usePathname();
  const named = pods.flatMap(({ containers }) => containers).flatMap(({ name, kind }) => (kind === 'init' ? [] : [name]));
  const names = container === undefined || named.includes(container) ? named : [...named, container];
  if (names.length < 2) return null;
  const choose = (chosen: string) => {
    onState({ kind: 'opening' });
    globalThis.history.replaceState(null, '', `${path}?container=${encodeURIComponent(chosen)}`);
  };
  return (
    <SelectBox label={t.container} value={container ?? ''} onChange={(event) => choose(event.target.value)} className="h-8!">
      {container === undefined ? <option value="">{t.container}</option> : null}
      {names.map((name) => (
        <option key={name}>{name}</option>
      ))}
    </SelectBox>
  );
}

function Again({ onAgain }: { readonly onAgain: () => void }) {
  return (
    <Button size="md" onClick={onAgain}>
      <RotateCcw size={14} aria-hidden /> {t.openAgain}
    </Button>
  );
}

function Note({ state, ns, pod }: { readonly state: TerminalState; readonly ns: string; readonly pod: string }) {
  if (state.kind === 'opening') return <span className="text-ink-3">{t.openingAShellInPod(pod)}</span>;
  // The server answers that a terminal is open once that is on record; what never opened is on no record.
  if (state.kind === 'ended')
    return <span className="text-ink-3">{state.wasOpen ? t.hasEndedIn(pod, ns) : t.noTerminalInPodIn(pod, ns)}</span>;
  return <span className="text-ink-3">{t.youAreInContainerOf(state.container, pod, ns)}</span>;
}
