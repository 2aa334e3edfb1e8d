import { phaseRows } from '../readings';
import { condition, currentIf, failedIf, has, is, progressingIf, unobserved } from '../rows';
import type { StatusRule } from '../rule';

/** What `virtctl` prints of a machine that cannot run. */
const MACHINE_BROKEN = [
  'CrashLoopBackOff',
  'ErrorUnschedulable',
  'ErrImagePull',
  'ImagePullBackOff',
  'ErrorPvcNotFound',
  'DataVolumeError',
];

export const KUBEVIRT_RULES: readonly StatusRule[] = [
  {
    kind: 'kubevirt.io/VirtualMachine',
    rows: [
      failedIf(
        is('.status.printableStatus', ...MACHINE_BROKEN),
        'VirtualMachine is {.status.printableStatus}. {.status.conditions[status=False].message}',
        '{.status.printableStatus}',
      ),
      failedIf(condition('Failure', 'True')),
      currentIf([is('.status.printableStatus', 'Running'), condition('Ready', 'True')], 'VirtualMachine is Running'),
      progressingIf(condition('Paused', 'True'), 'VirtualMachine is paused. {condition.message}', 'Paused'),
      currentIf(is('.status.printableStatus', 'Stopped', 'Halted'), 'VirtualMachine is stopped'),
      progressingIf(has('.status.printableStatus'), 'VirtualMachine is {.status.printableStatus}', '{.status.printableStatus}'),
      currentIf(condition('Ready', 'True'), 'VirtualMachine is ready'),
      progressingIf(condition('Ready')),
      unobserved('KubeVirt'),
    ],
  },
  {
    kind: 'kubevirt.io/VirtualMachineInstance',
    rows: [
      failedIf(is('.status.phase', 'Failed'), 'VirtualMachineInstance failed. {.status.reason}', 'Failed'),
      progressingIf(condition('Paused', 'True'), 'VirtualMachineInstance is paused. {condition.message}', 'Paused'),
      currentIf(is('.status.phase', 'Succeeded'), 'VirtualMachineInstance ended'),
      currentIf(
        [is('.status.phase', 'Running'), condition('Ready', 'True')],
        'VirtualMachineInstance is Running on {.status.nodeName|a node}',
      ),
      progressingIf(condition('Ready', ['False', 'Unknown']), '{condition.message|.status.phase}'),
      progressingIf(has('.status.phase'), 'VirtualMachineInstance is {.status.phase}', '{.status.phase}'),
      unobserved('KubeVirt'),
    ],
  },
  {
    kind: 'cdi.kubevirt.io/DataVolume',
    rows: [
      // An importer that crashed says so in Running; it starts again, and mostly meets the same.
      failedIf(condition('Running', 'False', 'Error')),
      ...phaseRows({
        by: 'CDI',
        current: ['Succeeded'],
        failed: ['Failed'],
        waiting: ['WaitForFirstConsumer', 'PendingPopulation', 'Paused'],
        says: '.status.progress',
      }),
    ],
  },
  { kind: 'kubevirt.io/KubeVirt', rows: [...phaseRows({ by: 'KubeVirt', current: ['Deployed'], failed: ['Error'] })] },
  { kind: 'cdi.kubevirt.io/CDI', rows: [...phaseRows({ by: 'CDI', current: ['Deployed'], failed: ['Error'] })] },
];
