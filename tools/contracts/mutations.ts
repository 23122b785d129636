// Small wrongs of the contracts, each of which a test must notice.
import { DIRECT_MUTATIONS } from './direct-mutations.ts';
import type { Mutation } from './mutation.ts';

const single = 'parts/SinglePayments.sol';
const batch = 'parts/BatchPayments.sol';
const settlement = 'parts/Settlement.sol';
const recovery = 'parts/Recovery.sol';
const registry = 'parts/PayoutRegistry.sol';
const escrow = 'parts/Escrow.sol';
const cap = 'parts/HourlyCap.sol';
const bitmap = 'parts/IntentBitmap.sol';
const roles = 'parts/Roles.sol';
const tokens = 'parts/TokenList.sol';
const nonce = 'lib/BoundNonce.sol';
const calls = 'lib/TokenCall.sol';

const operatorOnly = 'onlyRole(OPERATOR_ROLE)\n        whenNotPaused\n        nonReentrant';
const singlePrivate = `private\n        ${operatorOnly}`;
const singlePermit = `uint256 settled)\n        external\n        ${operatorOnly}`;
const without = (text: string, part: string) => text.replace(part, '');

const PROCESSOR_MUTATIONS: readonly Mutation[] = [
  ['anyone may settle a single', single, singlePrivate, without(singlePrivate, 'onlyRole(OPERATOR_ROLE)')],
  ['a single ignores the pause', single, singlePrivate, without(singlePrivate, 'whenNotPaused')],
  ['anyone may use a permit', single, singlePermit, without(singlePermit, 'onlyRole(OPERATOR_ROLE)')],
  [
    'pay may be re-entered',
    single,
    'whenNotPaused\n        nonReentrant\n    {\n        TokenConfig memory config = _enabledToken(token);\n        PayoutHead memory head = _activeHead(payoutId);\n        _requireAmounts',
    'whenNotPaused\n    {\n        TokenConfig memory config = _enabledToken(token);\n        PayoutHead memory head = _activeHead(payoutId);\n        _requireAmounts',
  ],
  ['a single skips the intent check', single, '        _requireUnsettled(order.intentCode);\n', ''],
  ['a single does not mark its intent', single, '        _markSettled(order.intentCode);\n', ''],
  [
    'a single spends no cap',
    single,
    '        _spend(msg.sender, order.token, order.settled, config.operatorHourlyCap);\n',
    '',
  ],
  [
    'a single counts the signed amount',
    single,
    'order.token, order.settled, config.operatorHourlyCap',
    'order.token, order.cap, config.operatorHourlyCap',
  ],
  ['a single skips the closing balance', single, '        _requireBalance(order.token, before + legs.escrowed);\n', ''],
  ['a single skips the amounts', single, '        _requireAmounts(order.settled, order.cap);\n', ''],
  [
    'a single skips the nonce binding',
    single,
    '        _requireBinding(order.token, order.payoutId, head, order.intentCode, nonce);\n',
    '',
  ],
  [
    'pay takes from somebody else',
    single,
    'IERC20.transferFrom, (msg.sender, address(this), amount)',
    'IERC20.transferFrom, (head.merchant, address(this), amount)',
  ],
  ['an expired permit works', single, 'permit.deadline < block.timestamp', 'permit.deadline > type(uint256).max - 1'],
  ['a permit dies a second early', single, 'permit.deadline < block.timestamp', 'permit.deadline <= block.timestamp'],
  ['a permit pays again', single, '        _usedPermits[digest] = true;\n', ''],
  ['a permit of anyone works', single, ' || signer != permit.owner', ''],
  ['any allowance will do', single, 'allowance != permit.value', 'allowance < permit.value'],
  [
    'singles mistake the kind',
    single,
    '? IEIP3009.transferWithAuthorization.selector',
    '? IEIP3009.receiveWithAuthorization.selector',
  ],
  [
    'long signatures mistake the kind',
    single,
    ': IEIP3009Bytes.receiveWithAuthorization.selector',
    ': IEIP3009Bytes.transferWithAuthorization.selector',
  ],
  ['zero may be settled', settlement, 'settled == 0 || settled > cap', 'settled > cap'],
  ['more than the cap may be settled', settlement, 'settled == 0 || settled > cap', 'settled == 0'],
  ['a pull is believed', settlement, '        if (arrived != value) revert WrongAmountArrived(value, arrived);\n', ''],
  [
    'the refund goes to the merchant',
    settlement,
    '_payLeg(legs, order.payer, order.cap - order.settled)',
    '_payLeg(legs, head.merchant, order.cap - order.settled)',
  ],
  [
    'the merchant and the fee are swapped',
    settlement,
    '_payLeg(legs, head.merchant, rest);\n        _payLeg(legs, feeRecipient, fee);',
    '_payLeg(legs, feeRecipient, rest);\n        _payLeg(legs, head.merchant, fee);',
  ],
  ['splits are not taken off', settlement, '            rest -= share;\n', ''],
  [
    'the fee is on the cap',
    settlement,
    'Shares.part(order.settled, head.feeBps)',
    'Shares.part(order.cap, head.feeBps)',
  ],
  ['shares are rounded up', 'lib/Shares.sol', 'amount * bps / WHOLE_BPS', '(amount * bps + WHOLE_BPS - 1) / WHOLE_BPS'],
  ['anyone may settle a batch', batch, operatorOnly, without(operatorOnly, 'onlyRole(OPERATOR_ROLE)')],
  ['a batch ignores the pause', batch, operatorOnly, without(operatorOnly, 'whenNotPaused')],
  ['a batch may be re-entered', batch, operatorOnly, without(operatorOnly, 'nonReentrant')],
  ['a batch spends no cap', batch, '        _spend(msg.sender, token, batch.settled, config.operatorHourlyCap);\n', ''],
  ['a batch skips the closing balance', batch, '        _requireBalance(token, before + batch.legs.escrowed);\n', ''],
  [
    'a batch has no size',
    batch,
    '        if (count > MAX_BATCH_ITEMS) revert BatchTooLarge(count, MAX_BATCH_ITEMS);\n',
    '',
  ],
  ['an item does not mark its intent', batch, '        _markSettled(intentCode);\n', ''],
  [
    'an item skips the intent check',
    batch,
    '        if (isSettled(uint64(head >> 32))) return ItemCode.IntentAlreadySettled;\n',
    '',
  ],
  ['an item pays an inactive payout', batch, '        if (!group.active) return ItemCode.PayoutInactive;\n', ''],
  ['an item may exceed its cap', batch, 'settled == 0 || settled > item.amounts >> 128', 'settled == 0'],
  [
    'an item starts a second early',
    batch,
    'block.timestamp <= uint64(item.window >> 64)',
    'block.timestamp < uint64(item.window >> 64)',
  ],
  [
    'an item lives a second longer',
    batch,
    'block.timestamp >= uint64(item.window)',
    'block.timestamp > uint64(item.window)',
  ],
  ['an item skips the nonce binding', batch, 'if (BoundNonce.isBound(item.nonce)) {', 'if (false) {'],
  ['an item with junk bits passes', batch, 'uint16(head >> 16) != 0 || ', ''],
  ['an item of an unknown kind passes', batch, ' || uint8(head >> 8) > uint8(type(AuthorizationKind).max)', ''],
  [
    'nothing arrived counts as paid',
    batch,
    '        if (balanceNow == batch.balance) return (ItemCode.NothingArrived, reason);\n',
    '        if (balanceNow == batch.balance) return (ItemCode.Settled, reason);\n',
  ],
  [
    'a short pull counts as paid',
    batch,
    '        if (balanceNow != expected) revert BalanceMismatch(expected, balanceNow);\n',
    '',
  ],
  ['an item runs on too little gas', batch, '        TokenCall.requireGas(batch.legs.callGas);\n', ''],
  [
    'an item refunds the merchant',
    batch,
    '_payLeg(batch.legs, payer, cap - settled)',
    '_payLeg(batch.legs, group.head.merchant, cap - settled)',
  ],
  ['a refund is forgotten in the running balance', batch, ') batch.balance -= cap - settled;', ') {}'],
  ['a batch keeps its fees', batch, '        _payLeg(batch.legs, feeRecipient, batch.fees);\n', ''],
  ['the group pays its first split twice', batch, 'group.splitSums[i] += share', 'group.splitSums[0] += share'],
  ['a used nonce is called a refusal', batch, 'return ItemCode.AuthorizationUsed;', 'return ItemCode.PullRefused;'],
  ['an empty wallet is called a refusal', batch, 'return ItemCode.InsufficientFunds;', 'return ItemCode.PullRefused;'],
  [
    'anyone may complete stranded money',
    recovery,
    ') external onlyRole(RECOVERY_ROLE) whenNotPaused nonReentrant {',
    ') external whenNotPaused nonReentrant {',
  ],
  ['stranded money completes a settled intent', recovery, '        _requireUnsettled(intentCode);\n', ''],
  ['stranded money marks no intent', recovery, '        _markSettled(intentCode);\n', ''],
  [
    'stranded money ignores the binding',
    recovery,
    '        _requireBinding(token, payoutId, head, intentCode, authorization.nonce);\n',
    '',
  ],
  [
    'an unused authorization is stranded',
    recovery,
    '        if (!TokenCall.authorizationUsed(token, a.from, a.nonce)) revert AuthorizationNotUsed(a.from, a.nonce);\n',
    '',
  ],
  [
    'stranded money needs no signature',
    recovery,
    '        if (!SignatureChecker.isValidSignatureNowCalldata(a.from, digest, signature)) revert InvalidSignature();\n',
    '',
  ],
  ['stranded money is recovered twice', recovery, '        _recovered[key] = true;\n', ''],
  ['recovery takes escrow', recovery, ' || available < amount', ''],
  ['recovery spends no cap', recovery, '        _spend(msg.sender, token, amount, config.recoveryHourlyCap);\n', ''],
  ['recovery spends the operators cap', recovery, 'config.recoveryHourlyCap', 'config.operatorHourlyCap'],
  [
    'a receive authorization strands',
    recovery,
    '        if (a.kind != AuthorizationKind.Transfer) revert AuthorizationCannotStrand();\n',
    '',
  ],
  [
    'terms can be rewritten',
    registry,
    '        if (_heads[payoutId].merchant != address(0)) revert PayoutExists(payoutId);\n',
    '',
  ],
  ['fees have no limit', registry, 'feeBps > MAX_FEE_BPS', 'feeBps > 10_000'],
  ['shares may exceed the whole', registry, 'sumBps > Shares.WHOLE_BPS', 'sumBps > Shares.WHOLE_BPS + 1'],
  ['a payout is off at once', registry, 'uint64(block.timestamp) + SWITCH_OFF_DELAY', 'uint64(block.timestamp)'],
  ['a payout is never off', registry, '(head.offAt == 0 || block.timestamp < head.offAt)', 'true'],
  ['a payout is on a second longer', registry, 'block.timestamp < head.offAt', 'block.timestamp <= head.offAt'],
  [
    'retiring can be repeated',
    registry,
    '        if (head.offAt != 0) revert PayoutAlreadyRetired(payoutId, head.offAt);\n',
    '',
  ],
  ['the merchant is no term', nonce, 'payoutId, head.merchant, head.feeBps', 'payoutId, address(0), head.feeBps'],
  ['the intent is no term', nonce, 'abi.encode(terms, intentCode, attempt)', 'abi.encode(terms, uint64(0), attempt)'],
  ['escrow is paid twice', escrow, '        owed[token][account] = 0;\n', ''],
  ['escrow is not totalled', escrow, '        totalOwed[legs.token] += amount;\n', ''],
  ['escrow overwrites what was owed', escrow, 'owed[legs.token][to] += amount', 'owed[legs.token][to] = amount'],
  ['escrow pays the caller', escrow, 'gasleft(), account, amount', 'gasleft(), msg.sender, amount'],
  ['a leg runs on too little gas', escrow, '        TokenCall.requireGas(legs.callGas);\n', ''],
  ['the cap is one too high', cap, 'attempted > cap', 'attempted > cap + 1'],
  ['the hour before is forgotten', cap, 'hour == spending.hour + 1 ? spending.current : 0', '0'],
  ['the cap is not written', cap, '        _spending[spender][token] = spending;\n', ''],
  [
    'intents share bits',
    bitmap,
    '_words[intentCode >> 8] |= 1 << (intentCode & 0xff)',
    '_words[intentCode >> 8] |= 1 << (intentCode & 0x7f)',
  ],
  [
    'the guardian may resume',
    roles,
    'function unpause() external onlyRole(DEFAULT_ADMIN_ROLE)',
    'function unpause() external onlyRole(GUARDIAN_ROLE)',
  ],
  ['the processor may pay itself', roles, ' || recipient == address(this)', ''],
  ['a token that is off takes money', tokens, '        if (!config.enabled) revert TokenNotEnabled(token);\n', ''],
  [
    'an address without code is a token',
    tokens,
    '        if (token.code.length == 0) revert TokenWithoutCode(token);\n',
    '',
  ],
  [
    'a false transfer counts as done',
    calls,
    'done := or(iszero(size), and(gt(size, 31), eq(mload(0), 1)))',
    'done := 1',
  ],
  ['reasons are copied whole', calls, 'if gt(size, most) { size := most }', ''],
  [
    'a state is asked on too little gas',
    calls,
    'returns (bool used) {\n        requireGas(STATE_GAS);\n',
    'returns (bool used) {\n',
  ],
];

const grouped = 'GroupedReads.sol';

const READ_MUTATIONS: readonly Mutation[] = [
  ['a grouped read gets all gas', grouped, 'staticcall(CALL_GAS,', 'staticcall(gas(),'],
  ['a grouped read is made on too little gas', grouped, 'if gt(gas(), LEAST_GAS)', 'if gt(gas(), 0)'],
  ['a grouped answer has any length', grouped, 'and(isAnswered, eq(returndatasize(), 0x20))', 'isAnswered'],
  [
    'a grouped revert is an answer',
    grouped,
    'and(isAnswered, eq(returndatasize(), 0x20))',
    'eq(returndatasize(), 0x20)',
  ],
  ['a grouped address without code has some', grouped, 'iszero(iszero(extcodesize(target)))', '1'],
];

export const MUTATIONS: readonly Mutation[] = [...PROCESSOR_MUTATIONS, ...DIRECT_MUTATIONS, ...READ_MUTATIONS];
