import { useEffect } from 'react';

/** Has the browser show a page of ours where the server does not answer a navigation. Where it cannot, its own error stands there, as without this. */
export function useOfflinePage(): void {
  useEffect(() => {
    // Absent on addresses that browsers do not trust: by http from another machine.
    const workers: ServiceWorkerContainer | undefined = navigator.serviceWorker;
    void workers?.register('/offline-worker.js', { updateViaCache: 'none' }).catch(() => undefined);
  }, []);
}
