import type { TestSequencerConstructor } from 'vitest/node';

export function longestFirst(parts: readonly string[]): TestSequencerConstructor;
