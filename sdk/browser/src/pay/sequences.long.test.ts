import { test } from 'vitest';
import { expectConfirmsEnd, expectOneFlowPays, expectPaymentsEnd } from '../testing/any-answers.ts';

test('whatever comes back, of ten thousand sequences: the call ends, and paid means that the service said so', () =>
  expectPaymentsEnd(10_000));

test('whatever comes back to a confirm, of a thousand sequences: confirmed means that the service said so', () =>
  expectConfirmsEnd(1_000));

test('whatever service and wallet do, of ten thousand sequences: never a `pay` beside a header that may be alive', () =>
  expectOneFlowPays(10_000));
