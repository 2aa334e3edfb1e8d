'use client';

import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '@/components/ui/button';

interface ClearButtonProps {
  readonly onClear: () => void;
  readonly children: ReactNode;
}

/** Takes all filters away at once. */
export function ClearButton({ onClear, children }: ClearButtonProps) {
  return (
    <Button onClick={onClear}>
      <X size={12} aria-hidden /> {children}
    </Button>
  );
}
