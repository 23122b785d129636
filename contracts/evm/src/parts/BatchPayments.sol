// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IEIP3009} from "../interfaces/IAuthorizedToken.sol";
import {AuthorizationKind, BatchGroup, BatchItem, ItemCode, PayoutHead, Split, TokenConfig} from "../PaymentTypes.sol";
import {BoundNonce} from "../lib/BoundNonce.sol";
import {Shares} from "../lib/Shares.sol";
import {TokenCall} from "../lib/TokenCall.sol";
import {Settlement} from "./Settlement.sol";

/// @dev Many payments in one transaction. An item can fail in one place only, the pull from the token, which runs with
/// bounded gas and leaves nothing behind when it fails; so items need no call frame of their own. All pulls come
/// first, then one transfer per recipient and group: the processor's balance slot stays warm and never returns to
/// zero in between.
abstract contract BatchPayments is Settlement {
    uint256 public constant MAX_BATCH_ITEMS = 200;

    struct Batch {
        bytes codes;
        uint256 index;
        uint256 balance;
        uint256 settled;
        uint256 fees;
        Legs legs;
    }

    struct Group {
        uint64 payoutId;
        bool active;
        PayoutHead head;
        Split[] splits;
        uint256[] splitSums;
        uint256 merchantSum;
        bytes32 terms;
    }

    function settleBatch(address token, BatchGroup[] calldata groups)
        external
        onlyRole(OPERATOR_ROLE)
        whenNotPaused
        nonReentrant
        returns (bytes memory)
    {
        TokenConfig memory config = _enabledToken(token);
        uint256 before = TokenCall.balance(token, address(this));
        Batch memory batch;
        batch.codes = new bytes(_countItems(groups));
        batch.balance = before;
        batch.legs = Legs(token, config.callGas, 0);
        Group[] memory totals = new Group[](groups.length);
        for (uint256 g; g < groups.length; ++g) {
            _pullGroup(batch, totals[g], groups[g]);
        }
        _spend(msg.sender, token, batch.settled, config.operatorHourlyCap);
        for (uint256 g; g < groups.length; ++g) {
            _payGroup(batch.legs, totals[g]);
        }
        _payLeg(batch.legs, feeRecipient, batch.fees);
        _requireBalance(token, before + batch.legs.escrowed);
        return batch.codes;
    }

    function _countItems(BatchGroup[] calldata groups) private pure returns (uint256 count) {
        for (uint256 g; g < groups.length; ++g) {
            count += groups[g].items.length;
        }
        if (count > MAX_BATCH_ITEMS) revert BatchTooLarge(count, MAX_BATCH_ITEMS);
    }

    function _pullGroup(Batch memory batch, Group memory group, BatchGroup calldata input) private {
        group.payoutId = input.payoutId;
        group.head = _head(input.payoutId);
        group.active = _isActive(group.head);
        group.splits = _loadSplits(input.payoutId, group.head.splitCount);
        group.splitSums = new uint256[](group.splits.length);
        uint256 freeMemory;
        assembly ("memory-safe") {
            freeMemory := mload(0x40)
        }
        BatchItem[] calldata items = input.items;
        for (uint256 i; i < items.length; ++i) {
            ItemCode code = _settleItem(batch, group, items[i]);
            batch.codes[batch.index] = bytes1(uint8(code));
            ++batch.index;
            // Nothing that an item allocates outlives it: growing memory by each item would cost more and more.
            assembly ("memory-safe") {
                mstore(0x40, freeMemory)
            }
        }
    }

    function _settleItem(Batch memory batch, Group memory group, BatchItem calldata item)
        private
        returns (ItemCode code)
    {
        bytes memory reason;
        code = _precheck(batch.legs.token, group, item);
        if (code == ItemCode.Settled) (code, reason) = _pullItem(batch, item);
        uint64 intentCode = uint64(item.head >> 32);
        address payer = address(uint160(item.head >> 96));
        if (code != ItemCode.Settled) {
            emit PaymentFailed(intentCode, payer, code, reason);
            return code;
        }
        _markSettled(intentCode);
        uint256 cap = item.amounts >> 128;
        uint256 settled = uint128(item.amounts);
        uint256 fee = _addShares(group, settled);
        batch.fees += fee;
        batch.settled += settled;
        emit PaymentSettled(intentCode, payer, batch.legs.token, group.payoutId, cap, settled, fee);
        if (settled != cap && _payLeg(batch.legs, payer, cap - settled)) batch.balance -= cap - settled;
    }

    /// @dev Everything that can be told without asking the token.
    function _precheck(address token, Group memory group, BatchItem calldata item) private view returns (ItemCode) {
        uint256 head = item.head;
        uint256 settled = uint128(item.amounts);
        if (uint16(head >> 16) != 0 || uint8(head >> 8) > uint8(type(AuthorizationKind).max)) {
            return ItemCode.Malformed;
        }
        if (item.window >> 128 != 0) return ItemCode.Malformed;
        if (!group.active) return ItemCode.PayoutInactive;
        if (settled == 0 || settled > item.amounts >> 128) return ItemCode.AmountOutOfRange;
        if (isSettled(uint64(head >> 32))) return ItemCode.IntentAlreadySettled;
        if (block.timestamp <= uint64(item.window >> 64)) return ItemCode.NotYetValid;
        if (block.timestamp >= uint64(item.window)) return ItemCode.Expired;
        if (BoundNonce.isBound(item.nonce)) {
            if (group.terms == 0) {
                group.terms = BoundNonce.termsHash(token, group.payoutId, group.head, group.splits);
            }
            uint16 attempt = BoundNonce.attemptOf(item.nonce);
            if (item.nonce != BoundNonce.derive(group.terms, uint64(head >> 32), attempt)) {
                return ItemCode.NonceNotBound;
            }
        }
        return ItemCode.Settled;
    }

    function _pullItem(Batch memory batch, BatchItem calldata item)
        private
        returns (ItemCode code, bytes memory reason)
    {
        address token = batch.legs.token;
        TokenCall.requireGas(batch.legs.callGas);
        bool done;
        (done, reason) = TokenCall.tryCall(token, batch.legs.callGas, _itemCall(item));
        if (!done) return (_refusal(token, item), reason);
        uint256 balanceNow = TokenCall.balance(token, address(this));
        if (balanceNow == batch.balance) return (ItemCode.NothingArrived, reason);
        uint256 cap = item.amounts >> 128;
        uint256 expected = batch.balance + cap;
        // Neither nothing nor the signed value: the token itself is not fit for use, so nobody is charged.
        if (balanceNow != expected) revert BalanceMismatch(expected, balanceNow);
        batch.balance = balanceNow;
    }

    function _itemCall(BatchItem calldata item) private view returns (bytes memory) {
        uint256 head = item.head;
        return abi.encodeWithSelector(
            uint8(head >> 8) == uint8(AuthorizationKind.Transfer)
                ? IEIP3009.transferWithAuthorization.selector
                : IEIP3009.receiveWithAuthorization.selector,
            address(uint160(head >> 96)),
            address(this),
            item.amounts >> 128,
            uint64(item.window >> 64),
            uint64(item.window),
            item.nonce,
            uint8(head),
            item.r,
            item.s
        );
    }

    /// @dev Why the token said no, as far as its state tells.
    function _refusal(address token, BatchItem calldata item) private view returns (ItemCode) {
        address payer = address(uint160(item.head >> 96));
        if (TokenCall.authorizationUsed(token, payer, item.nonce)) return ItemCode.AuthorizationUsed;
        if (TokenCall.balance(token, payer) < item.amounts >> 128) return ItemCode.InsufficientFunds;
        return ItemCode.PullRefused;
    }

    /// @dev Shares are rounded per payment, then summed: a batch pays to the unit what single payments would.
    function _addShares(Group memory group, uint256 settled) private pure returns (uint256 fee) {
        fee = Shares.part(settled, group.head.feeBps);
        uint256 rest = settled - fee;
        for (uint256 i; i < group.splits.length; ++i) {
            uint256 share = Shares.part(settled, group.splits[i].bps);
            rest -= share;
            group.splitSums[i] += share;
        }
        group.merchantSum += rest;
    }

    function _payGroup(Legs memory legs, Group memory group) private {
        for (uint256 i; i < group.splits.length; ++i) {
            _payLeg(legs, group.splits[i].to, group.splitSums[i]);
        }
        _payLeg(legs, group.head.merchant, group.merchantSum);
    }
}
