import type { Metadata } from 'next';
import { NewApplicationScreen } from '@/components/applications/editor-screen';

export const metadata: Metadata = { title: 'New application' };

/** A new application, written as text. */
export default function NewApplicationPage() {
  return <NewApplicationScreen />;
}
