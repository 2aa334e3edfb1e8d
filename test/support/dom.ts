import '@testing-library/jest-dom/vitest';
import { cleanup, configure } from '@testing-library/react';
import { afterEach } from 'vitest';

// What is awaited comes when it comes: a slow machine is no failure.
configure({ asyncUtilTimeout: 30_000 });

class QuietResizeObserver implements ResizeObserver {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}
globalThis.ResizeObserver ??= QuietResizeObserver;
// The editor measures its text; nothing is laid out here, so nothing has a place.
Range.prototype.getClientRects ??= () => document.body.getClientRects();

afterEach(cleanup);
