// Small wrongs of `DirectBatch`, each of which a test must notice.
import type { Mutation } from './mutation.ts';

const direct = 'DirectBatch.sol';
const calls = 'lib/TokenCall.sol';

/** The text is left out. */
const without = (name: string, text: string): Mutation => [name, direct, text, ''];
const instead = (name: string, find: string, replace: string): Mutation => [name, direct, find, replace];

export const DIRECT_MUTATIONS: readonly Mutation[] = [
  without(
    'an address without code is a token of a direct batch',
    '        if (token.code.length == 0) revert IPaymentEvents.TokenWithoutCode(token);\n',
  ),
  without('the frame is not allocated', '            mstore(0x40, FRAME_END)\n'),
  without('a batch may end within an item', '        if (next > end) revert MalformedBatch();\n'),
  without('a batch may end within a group', '        if (position != end) revert MalformedBatch();\n'),
  instead('the last group is left out', 'while (position < end) {', 'while (position + 200 < end) {'),
  without('codes have no length', '            mstore(codes, index)\n'),
  instead('a refused item is called settled', 'codes[index] = bytes1(uint8(code));', 'codes[index] = 0;'),
  instead(
    'a refused item is named one place too early',
    'codes[index] = bytes1(uint8(code));',
    'codes[index == 0 ? 0 : index - 1] = bytes1(uint8(code));',
  ),
  without('a refused item is not logged', '                    emit ItemRefused(index, code);\n'),
  instead('the log names another item', 'emit ItemRefused(index, code)', 'emit ItemRefused(index + 1, code)'),
  instead('a refused item undoes the batch', 'emit ItemRefused(index, code);', 'revert MalformedBatch();'),
  instead(
    'a group has one item less',
    'count := and(shr(16, head), 0xffff)',
    'count := sub(and(shr(16, head), 0xffff), 1)',
  ),
  instead('a count has one byte', 'count := and(shr(16, head), 0xffff)', 'count := and(shr(16, head), 0xff)'),
  instead('the recipient is the caller', 'mstore(TO, wallet)', 'mstore(TO, caller())'),
  instead('every group goes to the first wallet', 'mstore(TO, wallet)', 'if iszero(mload(TO)) { mstore(TO, wallet) }'),
  without('the batch contract may be the wallet', '        if (toItself) revert MalformedBatch();\n'),
  instead('the payer is the caller', 'mstore(FROM, shr(96, head))', 'mstore(FROM, caller())'),
  instead('a value loses its high bytes', 'and(head, 0xffffffffffffffffffffffff)', 'and(head, 0xffffffffffffffff)'),
  instead('validAfter is cut', 'mstore(VALID_AFTER, shr(216, window))', 'mstore(VALID_AFTER, shr(224, window))'),
  instead('validBefore is cut', 'and(shr(176, window), 0xffffffffff)', 'and(shr(176, window), 0xffffffff)'),
  instead('the nonce is read elsewhere', 'calldataload(add(position, 52))', 'calldataload(add(position, 51))'),
  instead('the length of a signature has one byte', 'and(shr(96, window), 0xffff)', 'and(shr(96, window), 0xff)'),
  instead('the parity is forgotten', 'add(27, shr(255, vs))', '27'),
  instead('the parity stays in s', 'shr(1, shl(1, vs))', 'vs'),
  instead('r is another word', 'mstore(R, calldataload(add(position, 84)))', 'mstore(R, vs)'),
  instead('a key is called by the wallet form', 'mstore(FRAME, KEY_SELECTOR)', 'mstore(FRAME, WALLET_SELECTOR)'),
  instead('a wallet is called by the key form', 'mstore(FRAME, WALLET_SELECTOR)', 'mstore(FRAME, KEY_SELECTOR)'),
  instead('an item of a key is longer', 'next := add(position, 148)', 'next := add(position, 149)'),
  instead('the call of a key is cut', 'size := 0x124', 'size := 0x104'),
  instead('a wallet is called without its nonce', 'mcopy(free, FRAME, 0xe0)', 'mcopy(free, FRAME, 0xc0)'),
  instead('the bytes lie elsewhere', 'mstore(add(free, 0xe0), 0xe0)', 'mstore(add(free, 0xe0), 0x100)'),
  instead(
    'the bytes are as long as their words',
    'mstore(add(free, 0x100), length)',
    'mstore(add(free, 0x100), padded)',
  ),
  without('the padding keeps old bytes', '                mstore(add(free, add(0x100, padded)), 0)\n'),
  instead(
    'a signature is cut',
    'calldatacopy(add(free, 0x120), add(position, 84), length)',
    'calldatacopy(add(free, 0x120), add(position, 84), sub(length, 1))',
  ),
  instead('a long signature overwrites the codes', 'let free := mload(0x40)', 'let free := FRAME'),
  instead('the call of a wallet is cut', 'size := add(0x104, padded)', 'size := add(0xe4, padded)'),
  instead(
    'an item of a wallet is shorter',
    'next := add(add(position, 84), length)',
    'next := add(add(position, 83), length)',
  ),
  without('a wallet has the gas of a key', '                itemGas := add(itemGas, WALLET_GAS)\n'),
  instead('a wallet may burn twice as much', 'WALLET_GAS = 500_000', 'WALLET_GAS = 1_000_000'),
  without(
    'an item of a direct batch runs on too little gas',
    '            if (gasleft() < required) revert IPaymentEvents.NotEnoughGas(gasleft(), required);\n',
  ),
  instead('the guard forgets the 64th part', 'itemGas + itemGas / 63 + CALL_OVERHEAD', 'itemGas'),
  instead('an item may burn everything', 'done := call(itemGas, token', 'done := call(gas(), token'),
  instead('a false is a transfer', 'done := and(done, and(gt(returndatasize(), 31), eq(mload(0), 1)))', 'done := done'),
  instead('a short answer is a transfer', 'and(gt(returndatasize(), 31), eq(mload(0), 1))', 'eq(mload(0), 1)'),
  instead('a refused call is a transfer', 'if (!done) {', 'if (false) {'),
  instead('a used nonce has another code', 'return ItemCode.AuthorizationUsed;', 'return ItemCode.PullRefused;'),
  instead('an early item has another code', 'block.timestamp <= validAfter', 'block.timestamp < validAfter'),
  instead('a late item has another code', 'block.timestamp >= validBefore', 'block.timestamp > validBefore'),
  instead('an empty wallet has another code', 'return ItemCode.InsufficientFunds;', 'return ItemCode.PullRefused;'),
  ['the last unit is not enough', calls, 'lt(mload(0), amount)', 'lt(mload(0), add(amount, 1))'],
  [
    'a balance is asked on too little gas',
    calls,
    'returns (bool short) {\n        requireGas(STATE_GAS);\n',
    'returns (bool short) {\n',
  ],
];
