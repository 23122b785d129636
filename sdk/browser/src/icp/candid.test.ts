import { IDL } from '@icp-sdk/core/candid';
import { Principal } from '@icp-sdk/core/principal';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeTransferResult, encodeTransfer } from './candid.ts';

const BLOB = IDL.Vec(IDL.Nat8);
const TRANSFER_ARG = IDL.Record({
  to: IDL.Record({ owner: IDL.Principal, subaccount: IDL.Opt(BLOB) }),
  amount: IDL.Nat,
  from_subaccount: IDL.Opt(BLOB),
  fee: IDL.Opt(IDL.Nat),
  memo: IDL.Opt(BLOB),
  created_at_time: IDL.Opt(IDL.Nat64),
});

test('an argument is what the agent of the Internet Computer reads', () => {
  const subaccounts = fc.option(fc.uint8Array({ minLength: 32, maxLength: 32 }), { nil: null });
  const naturals = fc.bigInt({ min: 0n, max: 2n ** 130n });
  fc.assert(
    fc.property(
      fc.record({
        fromSubaccount: subaccounts,
        toOwner: fc.uint8Array({ maxLength: 29 }),
        toSubaccount: subaccounts,
        amount: naturals,
        fee: naturals,
        memo: fc.uint8Array({ maxLength: 32 }),
        createdAtTime: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
      }),
      (arg) => {
        const optional = (bytes: Uint8Array | null) => (bytes === null ? [] : [bytes]);
        expect(IDL.decode([TRANSFER_ARG], encodeTransfer(arg))).toEqual([
          {
            to: { owner: Principal.fromUint8Array(arg.toOwner), subaccount: optional(arg.toSubaccount) },
            amount: arg.amount,
            from_subaccount: optional(arg.fromSubaccount),
            fee: [arg.fee],
            memo: [arg.memo],
            created_at_time: [arg.createdAtTime],
          },
        ]);
      },
    ),
  );
});

describe('an answer', () => {
  const RESULT = IDL.Variant({
    Ok: IDL.Nat,
    Err: IDL.Variant({
      BadFee: IDL.Record({ expected_fee: IDL.Nat }),
      BadBurn: IDL.Record({ min_burn_amount: IDL.Nat }),
      InsufficientFunds: IDL.Record({ balance: IDL.Nat }),
      TooOld: IDL.Null,
      CreatedInFuture: IDL.Record({ ledger_time: IDL.Nat64 }),
      TemporarilyUnavailable: IDL.Null,
      Duplicate: IDL.Record({ duplicate_of: IDL.Nat }),
      GenericError: IDL.Record({ error_code: IDL.Nat, message: IDL.Text }),
    }),
  });
  const written = (value: object) => new Uint8Array(IDL.encode([RESULT], [value]));
  const LARGE = 2n ** 100n + 77n;

  test.each<[string, object, object]>([
    ['a block', { Ok: LARGE }, { block: LARGE }],
    ['a duplicate', { Err: { Duplicate: { duplicate_of: LARGE } } }, { block: LARGE }],
    ['a bad fee', { Err: { BadFee: { expected_fee: 300n } } }, { error: 'BadFee', expectedFee: 300n }],
    ['too little', { Err: { InsufficientFunds: { balance: 1n } } }, { error: 'InsufficientFunds' }],
    ['a time that is too old', { Err: { TooOld: null } }, { error: 'TooOld' }],
    ['a time to come', { Err: { CreatedInFuture: { ledger_time: 2n ** 63n } } }, { error: 'CreatedInFuture' }],
    ['words', { Err: { GenericError: { error_code: 7n, message: 'nein, ö' } } }, { error: 'GenericError' }],
  ])('with %s is read', (_, value, expected) => {
    expect(decodeTransferResult(written(value))).toMatchObject(expected);
  });

  test('with a reason that ICRC-1 does not have is a refusal without a name', () => {
    const other = IDL.Variant({ Ok: IDL.Nat, Err: IDL.Variant({ Frozen: IDL.Null }) });
    const bytes = new Uint8Array(IDL.encode([other], [{ Err: { Frozen: null } }]));
    expect(decodeTransferResult(bytes)).toEqual({ error: undefined, expectedFee: undefined });
  });

  test('that was cut, or is something else, is none', () => {
    const whole = written({ Err: { GenericError: { error_code: 7n, message: 'no' } } });
    for (let length = 0; length < whole.length; length += 1)
      expect(() => decodeTransferResult(whole.subarray(0, length))).toThrow();
    expect(() => decodeTransferResult(Uint8Array.of(...whole, 0))).toThrow();
    expect(() => decodeTransferResult(new Uint8Array(IDL.encode([IDL.Nat], [1n])))).toThrow();
  });

  test('of any bytes is read or refused', () => {
    const magic = new TextEncoder().encode('DIDL');
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (rest) => {
        try {
          decodeTransferResult(Uint8Array.of(...magic, ...rest));
        } catch (problem) {
          expect(problem).toBeInstanceOf(Error);
        }
      }),
    );
  });
});
