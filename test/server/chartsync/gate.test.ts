import { describe, expect, it } from 'vitest';
import { isSameDemand, looseningOf, mayApprove, NO_DEMAND, readDemand, stricter } from '@/server/chartsync/gate/demand';

const read = (approvals?: string, groups?: string) =>
  readDemand({ ...(approvals && { 'slipway.dev/approvals': approvals }), ...(groups && { 'slipway.dev/approval-groups': groups }) }, 'HelmRelease web in shop');

describe('what a gate demands', () => {
  it('[issue 12.1] is read from two annotations', () => {
    expect(read()).toEqual(NO_DEMAND);
    expect(read('2', 'sre, leads,')).toEqual({ required: 2, groups: [['sre', 'leads']] });
  });

  it.each(['two', '-1', '1.5', '21', '1e1'])('[issue 12.1] is no number such as %s, and says of which object', (text) => {
    expect(() => read(text)).toThrow(`annotation slipway.dev/approvals of HelmRelease web in shop must be a number from 0 to 20, found "${text}"`);
  });

  it('[issue 12.1] is the higher number, by people of the groups of each', () => {
    const both = stricter(read('1', 'sre,leads'), read('2', 'qa'));
    expect(both.required).toBe(2);
    expect(mayApprove(both, { groups: ['qa'] })).toBe(false);
    expect(mayApprove(both, { groups: ['sre'] })).toBe(false);
    expect(mayApprove(both, { groups: ['leads', 'qa'] })).toBe(true);
    expect(mayApprove(both, {})).toBe(false);
  });

  it('[issue 12.1] does not get looser by more groups, whatever their order', () => {
    const kept = stricter(read('2', 'sre'), read('1', 'leads,sre'));
    expect(kept).toEqual({ required: 2, groups: [['sre']] });
    expect(isSameDemand(stricter(kept, kept), kept)).toBe(true);
    expect(isSameDemand(read('1', 'a,b'), read('1', 'b,a'))).toBe(true);
    expect(looseningOf(kept, read('1', 'a,b'))).toBe(looseningOf(kept, read('1', 'b,a')));
    expect(looseningOf(kept, read('1'))).not.toBe(looseningOf(kept, read('2')));
  });
});
