'use client';

import { Bell, BellOff } from 'lucide-react';
import { requestNotifications, useNotificationsOn } from '@/components/live/inbox/notifications';
import { Button } from '@/components/ui/button';
import { showToast } from '@/components/ui/overlay/toast';
import { t } from '@/lib/words/catalogue/console/inbox';

/** Turns notifications of this browser on and off. */
export function NotifyButton() {
  const isOn = useNotificationsOn();
  const Icon = isOn ? BellOff : Bell;
  const toggle = async () => {
    const refusal = await requestNotifications(!isOn);
    if (refusal !== null) showToast(refusal, 'bad');
  };
  return (
    <Button onClick={() => void toggle()}>
      <Icon size={13} aria-hidden /> {isOn ? t.stopNotifyingMe : t.notifyMe}
    </Button>
  );
}
