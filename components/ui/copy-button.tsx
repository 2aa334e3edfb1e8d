'use client';

import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { t } from '@/lib/words/catalogue/console/ui';
import { Button } from './button';

export interface CopyButtonProps {
  readonly text: string;
  /** What is copied, for those who listen: `the command`. */
  readonly what?: string;
  /** Beside text, a line of it high. */
  readonly isSmall?: boolean;
  readonly className?: string;
}

/** Puts a text on the clipboard and shows that it is there. */
export function CopyButton({ text, what, isSmall = false, className }: CopyButtonProps) {
  const [copied, setCopied] = useState(false);
  const copy = () => void navigator.clipboard.writeText(text).then(() => setCopied(true));
  const label = what === undefined ? '' : ` ${what}`;
  return (
    <Button
      look="secondary"
      size={isSmall ? 'iconSm' : 'icon'}
      aria-label={`${copied ? t.copied : t.copy}${label}`}
      className={className}
      onClick={copy}
      onBlur={() => setCopied(false)}
    >
      {copied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
    </Button>
  );
}
