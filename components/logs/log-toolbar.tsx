'use client';

import { ChevronDown, ChevronUp, Download } from 'lucide-react';
import type { ReactNode } from 'react';
import { useId } from 'react';
import { Button } from '@/components/ui/button';
import { CheckBox } from '@/components/ui/form/check-box';
import { SelectBox } from '@/components/ui/form/field';
import { SearchBox } from '@/components/ui/form/search-box';
import { MOST_TAIL_LINES, TAIL_LINES } from '@/lib/contract/log-stream';
import { sayCount, sayNumber } from '@/lib/words/figures';
import { LOG_LEVELS } from './lines/log-level';
import type { LogAddress, LogChange } from './log-address';

export interface LogToolbarProps {
  readonly address: LogAddress;
  readonly change: (change: LogChange) => void;
  readonly revisions: readonly string[];
  readonly pods: readonly string[];
  readonly containers: readonly string[];
  /** How many lines hold what is searched for, and which of them the view stands at, from 1. */
  readonly found: number;
  readonly place: number;
  readonly onStep: (step: 1 | -1) => void;
  readonly onDownload: () => void;
  /** How many lines that would be. */
  readonly count: number;
}

/** What is read, what is searched for, and how it is shown. */
export function LogToolbar(props: LogToolbarProps) {
  const { address, change, onDownload, count } = props;
  return (
    <div className="border-b">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-2">
        <Searching {...props} />
        <SelectBox
          label="Level"
          className="max-sm:basis-2/5 max-sm:grow"
          value={address.level ?? ''}
          onChange={(event) => change({ level: LOG_LEVELS.find((level) => level === event.target.value) ?? null })}
        >
          <option value="">All levels</option>
          {LOG_LEVELS.slice(1).map((level) => (
            <option key={level} value={level}>
              {level === 'fatal' ? 'fatal' : `${level} and above`}
            </option>
          ))}
        </SelectBox>
        <span className="ml-auto flex items-center gap-x-3">
          <Tick checked={address.wrap} onChange={(wrap) => change({ wrap })}>
            Wrap
          </Tick>
          <Tick checked={address.times} onChange={(times) => change({ times })}>
            Times
          </Tick>
          <Button onClick={onDownload} blocked={count === 0 ? 'There is no line to download yet.' : null}>
            <Download size={13} aria-hidden /> Download<span className="sr-only"> {sayCount(count, 'line')}</span>
          </Button>
        </span>
      </div>
      <Reading {...props} />
    </div>
  );
}

function Searching({ address, change, found, place, onStep }: LogToolbarProps) {
  return (
    <span className="flex w-full flex-wrap items-center gap-x-2 gap-y-2 sm:w-auto">
      <SearchBox label="Search the lines" value={address.q} onSearch={(q) => change({ q })} onStep={onStep} />
      {address.q === '' ? null : (
        <>
          <span role="status" className="min-w-14 text-ink-3 text-xs tabular-nums">
            {found === 0 ? 'Not found' : `${place === 0 ? '' : `${sayNumber(place)} of `}${sayNumber(found)}`}
          </span>
          <Button look="ghost" size="icon" aria-label="Match before" onClick={() => onStep(-1)} blocked={found === 0 ? 'No line matches.' : null}>
            <ChevronUp size={14} aria-hidden />
          </Button>
          <Button look="ghost" size="icon" aria-label="Next match" onClick={() => onStep(1)} blocked={found === 0 ? 'No line matches.' : null}>
            <ChevronDown size={14} aria-hidden />
          </Button>
          <Tick checked={address.only} onChange={(only) => change({ only })}>
            Matches only
          </Tick>
        </>
      )}
    </span>
  );
}

const PARTS: readonly { readonly value: string; readonly label: string }[] = [
  { value: '', label: `Newest ${TAIL_LINES} lines` },
  { value: 'tail 2000', label: 'Newest 2,000 lines' },
  { value: `tail ${MOST_TAIL_LINES}`, label: `Newest ${sayNumber(MOST_TAIL_LINES)} lines` },
  { value: 'since 5m', label: 'Last 5 minutes' },
  { value: 'since 1h', label: 'Last hour' },
  { value: 'since 24h', label: 'Last day' },
];

function Reading({ address, change, revisions, pods, containers }: LogToolbarProps) {
  const part = address.since !== undefined ? `since ${address.since}` : address.tail !== undefined ? `tail ${address.tail}` : '';
  const parts = PARTS.some(({ value }) => value === part) ? PARTS : [...PARTS, { value: part, label: part.replace('tail', 'newest') }];
  const choosePart = (value: string) => {
    const [kind, amount = ''] = value.split(' ');
    change({ since: kind === 'since' ? amount : null, tail: kind === 'tail' ? amount : null });
  };
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 border-t bg-sunken px-4 py-2">
      <Choice label="Revision" all="All revisions" value={address.revision} options={revisions} onChoose={(revision) => change({ revision, pod: null })} />
      <Choice label="Pod" all="All pods" value={address.pod} options={pods} onChoose={(pod) => change({ pod })} />
      <Choice label="Container" all="All containers" value={address.container} options={containers} onChoose={(container) => change({ container })} />
      <SelectBox label="From when on" className="max-sm:basis-2/5 max-sm:grow" value={part} onChange={(event) => choosePart(event.target.value)}>
        {parts.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </SelectBox>
      <span className="ml-auto flex flex-wrap items-center gap-x-3 gap-y-2">
        <Tick checked={address.previous} onChange={(previous) => change({ previous })}>
          Run before the last restart
        </Tick>
        <Tick checked={address.follow} blocked={address.previous ? 'A run that is over writes no more.' : null} onChange={(follow) => change({ follow })}>
          Follow
        </Tick>
      </span>
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly all: string;
  readonly value: string | undefined;
  readonly options: readonly string[];
  readonly onChoose: (value: string | null) => void;
}

/** One of several; not there where there is nothing to choose. */
function Choice({ label, all, value, options, onChoose }: ChoiceProps) {
  if (options.length < 2 && value === undefined) return null;
  const known = value === undefined || options.includes(value) ? options : [...options, value];
  return (
    <SelectBox label={label} className="max-w-56 max-sm:basis-2/5 max-sm:grow" value={value ?? ''} onChange={(event) => onChoose(event.target.value || null)}>
      <option value="">{all}</option>
      {known.map((option) => (
        <option key={option}>{option}</option>
      ))}
    </SelectBox>
  );
}

interface TickProps {
  readonly checked: boolean;
  readonly blocked?: string | null;
  readonly onChange: (checked: boolean) => void;
  readonly children: ReactNode;
}

function Tick({ checked, blocked = null, onChange, children }: TickProps) {
  const id = useId();
  return (
    <span title={blocked ?? undefined} className="inline-flex h-7 select-none items-center gap-1.5 text-ink-2 text-xs has-disabled:opacity-50">
      <CheckBox id={id} checked={checked} disabled={blocked !== null} onChange={(event) => onChange(event.target.checked)} />
      <label htmlFor={id} className="cursor-pointer">
        {children}
      </label>
    </span>
  );
}
