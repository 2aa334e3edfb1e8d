interface Answer {
  readonly header?: { readonly revision?: string };
  readonly alarms?: readonly { readonly memberID: string; readonly alarm: string }[];
}

/** What an administrator does whose etcd is full, once there is less in it: forget old revisions, give the space back, take the alarm off. */
export async function freeSpaceOf(address: string): Promise<void> {
  const ask = async (path: string, body: object): Promise<Answer> => {
    const answer = await fetch(`${address}/v3/${path}`, { method: 'POST', body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`etcd answered ${path} with ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as Answer;
  };
  const { header } = await ask('maintenance/status', {});
  await ask('kv/compaction', { revision: header?.revision, physical: true });
  await ask('maintenance/defragment', {});
  const { alarms = [] } = await ask('maintenance/alarm', { action: 'GET' });
  for (const { memberID, alarm } of alarms) await ask('maintenance/alarm', { action: 'DEACTIVATE', memberID, alarm });
}
