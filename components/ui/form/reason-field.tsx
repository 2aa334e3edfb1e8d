'use client';

import type { FormEvent } from 'react';
import { useState } from 'react';
import { t } from '@/lib/words/catalogue/console/ui';
import { TextArea } from './field';

export interface ReasonFieldProps {
  /** The act that it is a reason for, as its button says it; an act without one may be done all the same. */
  readonly neededFor?: string | undefined;
  readonly value: string;
  readonly onChange: (reason: string) => void;
}

/** Why a person decides what they decide. Where a reason is needed its form is not sent without, and the focus goes to where it is written. */
export function ReasonField({ neededFor, value, onChange }: ReasonFieldProps) {
  const [asked, setAsked] = useState(false);
  const missing = neededFor !== undefined && value.trim() === '' ? t.needsAReasonWhichIs(neededFor) : '';
  const refuse = (event: FormEvent<HTMLTextAreaElement>) => {
    // The browser's own bubble would come on top of our sentence, and without it the focus would not move.
    event.preventDefault();
    setAsked(true);
    event.currentTarget.focus();
  };
  return (
    <TextArea
      ref={(area) => area?.setCustomValidity(missing)}
      label={neededFor === undefined ? t.reasonOptional : t.reason}
      hint={t.keptOnRecordWithYour}
      error={asked && missing !== '' ? missing : undefined}
      value={value}
      maxLength={2000}
      required={neededFor !== undefined}
      onChange={(event) => onChange(event.target.value)}
      onInvalid={refuse}
    />
  );
}
