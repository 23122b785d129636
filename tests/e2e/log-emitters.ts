// Contracts that log what a test asks for: a token that logs uses of authorizations with their transfers, and a processor that
// logs settled payments. Placed at their addresses by the node, so a test can make thousands of logs in one transaction.
import { concatHex, type Hex, numberToHex, pad, toEventSelector } from 'viem';

const USED = toEventSelector('AuthorizationUsed(address,bytes32)');
const TRANSFER = toEventSelector('Transfer(address,address,uint256)');
const SETTLED = toEventSelector('PaymentSettled(uint64,address,address,uint64,uint256,uint256,uint256)');

const op = (code: number): Hex => numberToHex(code, { size: 1 });
const [STOP, ADD, EQ, CALLDATALOAD, CALLDATACOPY] = [0x00, 0x01, 0x14, 0x35, 0x37].map(op) as [Hex, Hex, Hex, Hex, Hex];
const [MSTORE, JUMP, JUMPI, JUMPDEST, PUSH0, DUP1, DUP3] = [0x52, 0x56, 0x57, 0x5b, 0x5f, 0x80, 0x82].map(op) as [
  Hex,
  Hex,
  Hex,
  Hex,
  Hex,
  Hex,
  Hex,
];
const [LOG3, LOG4] = [0xa3, 0xa4].map(op) as [Hex, Hex];
const push = (value: number): Hex => concatHex([op(0x60), op(value)]);
const push32 = (word: Hex): Hex => concatHex([op(0x7f), word]);
/** The n-th word of the call's data. */
const word = (index: number): Hex => concatHex([push(index * 32), CALLDATALOAD]);

/** Runs the body for i = 0 … count - 1, with i on top of the stack; `count` is the first word of the call's data. */
function repeat(body: readonly Hex[]): Hex {
  const head = concatHex([PUSH0]);
  const inner = concatHex(body);
  const start = 1;
  const test = (end: number) => concatHex([JUMPDEST, DUP1, word(0), EQ, push(end), JUMPI]);
  const back = concatHex([push(1), ADD, push(start), JUMP]);
  const end = (head.length + test(0).length + inner.length + back.length - 8) / 2;
  return concatHex([head, test(end), inner, back, JUMPDEST, STOP]);
}

/** Call's data: count, first nonce, payer, recipient, value. */
export const TOKEN_CODE = repeat([
  concatHex([DUP1, word(1), ADD, word(2), push32(USED), PUSH0, PUSH0, LOG3]),
  concatHex([word(4), PUSH0, MSTORE, word(3), word(2), push32(TRANSFER), push(32), PUSH0, LOG3]),
]);

/** Call's data: count, first intent code, payer, token, payout id, cap, settled, fee. */
export const PROCESSOR_CODE = repeat([
  concatHex([push(128), push(128), PUSH0, CALLDATACOPY]),
  concatHex([word(3), word(2), DUP3, word(1), ADD, push32(SETTLED), push(128), PUSH0, LOG4]),
]);

export const wordsOf = (...values: readonly (bigint | number | Hex)[]): Hex =>
  concatHex(values.map((value) => pad(typeof value === 'string' ? value : numberToHex(value))));
