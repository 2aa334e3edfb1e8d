import type { Metadata } from 'next';
import { NewApplicationScreen } from '@/components/editor/editor-screen';

export const metadata: Metadata = { title: 'New application' };

/** A new application, written as text. */
export default function NewApplicationPage() {
  return <NewApplicationScreen />;
}
