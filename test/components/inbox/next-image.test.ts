import { describe, expect, it } from 'vitest';
import { nextImage } from '@/components/inbox/start/next-image';

describe('the image that is proposed next', () => {
  it.each([
    ['web:1.9.0', 'web:1.9.1'],
    ['registry:5000/web:1.9', 'registry:5000/web:1.10'],
    ['web:v7', 'web:v8'],
    ['web:1.27-alpine', 'web:1.28-alpine'],
    ['web', 'web'],
    ['web:latest', 'web:latest'],
    ['web@sha256:0123', 'web@sha256:0123'],
  ])('[design 1] after %s comes %s', (image, next) => {
    expect(nextImage(image)).toBe(next);
  });
});
