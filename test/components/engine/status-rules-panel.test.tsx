import { render, screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { StatusRulesPanel } from '@/components/engine/status-rules-panel';
import type { StatusRulesView } from '@/lib/contract/system-rows';

const SINCE = '2031-05-04T00:00:00.000Z';

function show(sources: StatusRulesView['sources']) {
  render(<StatusRulesPanel rules={{ house: 140, sources, policies: [] }} />);
}

describe('status rules on Engine', () => {
  it('[issue 9] says what is wrong with a file, in its sentences, and that what was read before stays in force', () => {
    const fault = {
      since: SINCE,
      sentences: ['rules.yaml: rules[0].kind must be group/Kind', 'rules.yaml: rules[0].rows must be a list of rows'],
    };
    show([{ setting: '--status-rules', place: 'rules.yaml', keys: ['water.example.com/Pump'], readAt: SINCE, fault }]);
    expect(screen.getByText(/the previous rules stay in effect/)).toBeTruthy();
    expect(screen.getByText('rules.yaml: rules[0].kind must be group/Kind')).toBeTruthy();
    expect(screen.getByText('rules.yaml: rules[0].rows must be a list of rows')).toBeTruthy();
  });

  it('[issue 9] does not say so of what was never read', () => {
    const fault = { since: SINCE, sentences: ['configmap:ops/rules: there is no such ConfigMap'] };
    show([{ setting: '--status-rules', place: 'configmap:ops/rules', keys: [], readAt: null, fault }]);
    expect(screen.queryByText(/stays in force/)).toBeNull();
    expect(screen.getByText(/not read yet/)).toBeTruthy();
  });

  it('[issue 9] names a few kinds of a folder of checks, and counts the rest', () => {
    const keys = Array.from({ length: 20 }, (_, index) => `water.example.com/Pump${index}`);
    show([{ setting: '--health-lua', place: '/etc/checks', keys, readAt: SINCE, fault: null }]);
    const row = screen.getByText('/etc/checks').closest('li');
    expect(within(row ?? document.body).getByText(/Pump11 and 8 more$/)).toBeTruthy();
    expect(screen.getByText(/neither --status-rules nor SLIPWAY_STATUS_RULES is set/)).toBeTruthy();
  });
});
