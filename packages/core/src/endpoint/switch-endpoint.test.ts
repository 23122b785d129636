import { expect, test } from 'vitest';
import { decideDisable, decideEnable } from './switch-endpoint.ts';

const NOW = 1_794_744_000_000;

test('only a disabled endpoint is enabled: healthy, and with what it missed since it began to fail', () => {
  expect(decideEnable({ status: 'disabled', failingSinceMs: NOW - 7 }, NOW)).toEqual({
    status: 'enabled',
    disabledReason: null,
    failingSinceMs: null,
    missedSinceMs: NOW - 7,
  });
  expect(decideEnable({ status: 'disabled', failingSinceMs: null }, NOW)).toMatchObject({ missedSinceMs: NOW });
  for (const status of ['enabled', 'deleted'] as const) {
    expect(decideEnable({ status, failingSinceMs: null }, NOW)).toBeUndefined();
  }
});

test('only an enabled endpoint is disabled by its merchant, and what was failing stays known', () => {
  expect(decideDisable({ status: 'enabled', failingSinceMs: 7 })).toEqual({
    status: 'disabled',
    disabledReason: 'merchant',
    failingSinceMs: 7,
  });
  for (const status of ['disabled', 'deleted'] as const) {
    expect(decideDisable({ status, failingSinceMs: null })).toBeUndefined();
  }
});
