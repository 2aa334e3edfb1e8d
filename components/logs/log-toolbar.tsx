'use client';

import { ChevronDown, ChevronUp, Download } from 'lucide-react';
import type { ReactNode } from 'react';
import { useId, useState } from 'react';
import { Button } from '@/components/ui/button';
import { cx } from '@/components/ui/cx';
import { CheckBox } from '@/components/ui/form/check-box';
import { SelectBox } from '@/components/ui/form/field';
import { FilterToggle } from '@/components/ui/form/filter-bar';
import { SearchBox } from '@/components/ui/form/search-box';
import { Tooltip } from '@/components/ui/overlay/tooltip';
import { MAX_TAIL_LINES, TAIL_LINES } from '@/lib/contract/log-stream';
import { t } from '@/lib/words/catalogue/objects/logs';
import { formatNumber } from '@/lib/words/figures';
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

/** What is read, what is searched for, and how it is shown; on narrow screens most of it folds behind one button. */
export function LogToolbar(props: LogToolbarProps) {
  const { address, change, onDownload, count } = props;
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const folded = isOpen ? '' : 'max-sm:hidden';
  const set = [address.level, address.revision, address.pod, address.container, address.previous].filter(Boolean).length;
  return (
    <div id={id} className="border-b print:hidden">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-2 max-sm:gap-x-2">
        <Searching {...props} />
        <FilterToggle controls={id} count={set} isOpen={isOpen} onToggle={setOpen} />
        <SelectBox
          label={t.level}
          className={cx('max-sm:basis-2/5 max-sm:grow', folded)}
          value={address.level ?? ''}
          onChange={(event) => change({ level: LOG_LEVELS.find((level) => level === event.target.value) ?? null })}
        >
          <option value="">{t.allLevels}</option>
          {LOG_LEVELS.slice(1).map((level) => (
            <option key={level} value={level}>
              {level === 'fatal' ? t.fatal : t.andAbove(level)}
            </option>
          ))}
        </SelectBox>
        <span className={cx('ml-auto flex items-center gap-x-3', folded)}>
          <Tick checked={address.wrap} onChange={(wrap) => change({ wrap })}>
            {t.wrap}
          </Tick>
          <Tick checked={address.times} onChange={(times) => change({ times })}>
            {t.times}
          </Tick>
          <Button onClick={onDownload} blocked={count === 0 ? t.thereIsNoLineTo : null}>
            <Download size={13} aria-hidden /> {t.download}
            <span className="sr-only"> {t.lines(count)}</span>
          </Button>
        </span>
      </div>
      <Reading {...props} folded={folded} />
    </div>
  );
}

function Searching({ address, change, found, place, onStep }: LogToolbarProps) {
  return (
    <span className="flex flex-wrap items-center gap-x-2 gap-y-2 max-sm:min-w-0 max-sm:flex-1">
      <SearchBox label={t.searchTheLines} value={address.q} onSearch={(q) => change({ q })} onStep={onStep} />
      {address.q === '' ? null : (
        <>
          <span role="status" className="min-w-14 text-ink-3 text-xs tabular-nums">
            {found === 0 ? t.notFound : `${place === 0 ? '' : t.of(place)}${formatNumber(found)}`}
          </span>
          <Button
            look="ghost"
            size="icon"
            aria-label={t.matchBefore}
            onClick={() => onStep(-1)}
            blocked={found === 0 ? t.noLineMatches : null}
          >
            <ChevronUp size={14} aria-hidden />
          </Button>
          <Button
            look="ghost"
            size="icon"
            aria-label={t.nextMatch}
            onClick={() => onStep(1)}
            blocked={found === 0 ? t.noLineMatches : null}
          >
            <ChevronDown size={14} aria-hidden />
          </Button>
          <Tick checked={address.only} onChange={(only) => change({ only })}>
            {t.matchesOnly}
          </Tick>
        </>
      )}
    </span>
  );
}

const PARTS: readonly { readonly value: string; readonly label: string }[] = [
  { value: '', label: t.newestLines(TAIL_LINES) },
  { value: 'tail 2000', label: t.newestLines(2000) },
  { value: `tail ${MAX_TAIL_LINES}`, label: t.newestLines(MAX_TAIL_LINES) },
  { value: 'since 5m', label: t.last5Minutes },
  { value: 'since 1h', label: t.lastHour },
  { value: 'since 24h', label: t.lastDay },
];

function Reading({ address, change, revisions, pods, containers, folded }: LogToolbarProps & { readonly folded: string }) {
  const held = (['since', 'tail'] as const).find((kind) => address[kind] !== undefined);
  const amount = held === undefined ? '' : (address[held] ?? '');
  const part = held === undefined ? '' : `${held} ${amount}`;
  const own = { value: part, label: held === 'tail' ? t.newestLines(Number(amount) || amount) : t.since(amount) };
  const parts = PARTS.some(({ value }) => value === part) ? PARTS : [...PARTS, own];
  const choosePart = (value: string) => {
    const [kind, chosen = ''] = value.split(' ');
    change({ since: kind === 'since' ? chosen : null, tail: kind === 'tail' ? chosen : null });
  };
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 border-t bg-sunken px-4 py-2">
      <span className={cx('contents', folded)}>
        <Choice
          label={t.revision}
          all={t.allRevisions}
          value={address.revision}
          options={revisions}
          onChoose={(revision) => change({ revision, pod: null })}
        />
        <Choice label={t.pod} all={t.allPods} value={address.pod} options={pods} onChoose={(pod) => change({ pod })} />
        <Choice
          label={t.containerTitle}
          all={t.allContainers}
          value={address.container}
          options={containers}
          onChoose={(container) => change({ container })}
        />
      </span>
      <SelectBox
        label={t.fromWhenOn}
        className="max-sm:basis-2/5 max-sm:grow"
        value={part}
        onChange={(event) => choosePart(event.target.value)}
      >
        {parts.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </SelectBox>
      <span className="ml-auto flex flex-wrap items-center gap-x-3 gap-y-2">
        <span className={cx('contents', folded)}>
          <Tick checked={address.previous} onChange={(previous) => change({ previous })}>
            {t.runBeforeTheLastRestart}
          </Tick>
        </span>
        <Tick checked={address.follow} blocked={address.previous ? t.aRunThatIsOver : null} onChange={(follow) => change({ follow })}>
          {t.follow}
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
    <SelectBox
      label={label}
      className="max-w-56 max-sm:basis-2/5 max-sm:grow"
      value={value ?? ''}
      onChange={(event) => onChoose(event.target.value || null)}
    >
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

/** A box to tick; one that cannot be ticked now says why, and is reached by keyboard all the same. */
function Tick({ checked, blocked = null, onChange, children }: TickProps) {
  const [id, reasonId] = [useId(), useId()];
  const [explained, setExplained] = useState(false);
  const isBlocked = blocked !== null;
  return (
    <span className="inline-flex h-7 select-none items-center gap-1.5 text-ink-2 text-xs has-[[aria-disabled=true]]:opacity-50">
      <Tooltip text={blocked} open={isBlocked && explained} onOpenChange={setExplained}>
        <CheckBox
          id={id}
          checked={checked}
          aria-disabled={isBlocked || undefined}
          aria-describedby={isBlocked ? reasonId : undefined}
          onChange={(event) => (isBlocked ? setExplained(true) : onChange(event.target.checked))}
        />
      </Tooltip>
      <label htmlFor={id} className="cursor-pointer">
        {children}
      </label>
      {isBlocked ? (
        <span id={reasonId} className="sr-only">
          {blocked}
        </span>
      ) : null}
    </span>
  );
}
