'use client';

import { FileUp } from 'lucide-react';
import type { DragEvent, ReactNode } from 'react';
import { useRef, useState } from 'react';
import { Button } from '@/components/ui/button';
import { Refusal } from '@/components/ui/data/error-panel';
import { SelectBox } from '@/components/ui/form/field';
import { t } from '@/lib/words/catalogue/delivery/editor';
import { readTextFile } from './read-text-file';
import type { Template } from './templates';
import { TEMPLATES } from './templates';

interface TextSourceProps {
  /** Whether texts to start from are offered. */
  readonly offersTemplates: boolean;
  /** Takes a text in place of what is written; the editor's own undo brings that back. */
  readonly onText: (text: string) => void;
  readonly children: ReactNode;
}

/** Where the text of an editor may come from besides the keyboard: a template, a file that is opened, or one that is dropped on it. */
export function TextSource({ offersTemplates, onText, children }: TextSourceProps) {
  const picker = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const [refusal, setRefusal] = useState<string | null>(null);
  const take = (files: readonly File[]) => {
    setRefusal(null);
    readTextFile(files).then(onText, (error: unknown) => setRefusal(error instanceof Error ? error.message : String(error)));
  };
  const over = (event: DragEvent) => {
    if (!event.dataTransfer.types.includes('Files')) return;
    event.preventDefault();
    setOver(true);
  };
  const drop = (event: DragEvent) => {
    setOver(false);
    const files = [...event.dataTransfer.files];
    if (files.length === 0) return;
    event.preventDefault();
    event.stopPropagation(); // the editor would put it in at the cursor, whatever it is
    take(files);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a drop has no keyboard; Open file does the same
    <div className="relative" onDragOver={over} onDragLeave={() => setOver(false)} onDropCapture={drop}>
      <div className="flex flex-wrap items-center gap-2 border-b px-4 py-2">
        {offersTemplates ? <TemplateChoice onChoose={({ text }) => onText(text)} /> : null}
        <Button onClick={() => picker.current?.click()}>
          <FileUp size={13} aria-hidden /> {t.openFile}
        </Button>
        <span className="text-ink-3 text-xs max-sm:hidden">{t.orDropOneOnThe}</span>
        <input
          ref={picker}
          type="file"
          accept=".yaml,.yml,.json"
          aria-label={t.fileWithAManifest}
          className="hidden"
          onChange={(event) => {
            take([...(event.target.files ?? [])]);
            event.target.value = '';
          }}
        />
      </div>
      {refusal === null ? null : (
        <div className="border-b p-3">
          <Refusal sentence={refusal} />
        </div>
      )}
      {children}
      {isOver ? (
        <div
          aria-hidden
          className="pointer-events-none absolute inset-0 z-10 flex items-center justify-center rounded-b-lg border-2 border-accent border-dashed bg-accent-soft/80"
        >
          <span className="rounded-md bg-raised px-3 py-1.5 font-medium shadow-float">{t.dropToReplaceTheText}</span>
        </div>
      ) : null}
    </div>
  );
}

function TemplateChoice({ onChoose }: { readonly onChoose: (template: Template) => void }) {
  return (
    <SelectBox
      label={t.template}
      value=""
      onChange={(event) => {
        const chosen = TEMPLATES.find(({ id }) => id === event.target.value);
        if (chosen) onChoose(chosen);
      }}
    >
      <option value="">{t.startFromATemplate}</option>
      {TEMPLATES.map(({ id, label }) => (
        <option key={id} value={id}>
          {label}
        </option>
      ))}
    </SelectBox>
  );
}
