import { test } from 'vitest';
import { expectConfirmsEnd, expectOneFlowPays, expectPaymentsEnd } from '../testing/any-answers.ts';

// Each run draws other sequences. More of them at once: sequences.long.test.ts.
test('whatever comes back: the call ends, one end is told, and paid means that the service said so', () =>
  expectPaymentsEnd(2_000));

test('whatever comes back to a confirm: the call ends, confirmed means that the service said so, failure is told once', () =>
  expectConfirmsEnd(300));

test('whatever service and wallet do: never a `pay` beside a header that may be alive, and no more than one', () =>
  expectOneFlowPays(600));
