// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {PayoutHead, Split} from "../PaymentTypes.sol";
import {BoundNonce} from "../lib/BoundNonce.sol";
import {Shares} from "../lib/Shares.sol";
import {Roles} from "./Roles.sol";

/// @dev Where money may go. An id's terms are written once; changed terms are a new id, so that an authorization
/// that is already signed is neither redirected nor made unsettleable.
abstract contract PayoutRegistry is Roles {
    uint256 public constant MAX_FEE_BPS = 1_000;
    uint256 public constant MAX_SPLITS = 8;
    /// @notice Longer than the longest authorization (7 days and an hour) lives after it was received.
    uint64 public constant SWITCH_OFF_DELAY = 8 days;

    mapping(uint64 payoutId => PayoutHead) private _heads;
    mapping(uint64 payoutId => mapping(uint256 index => Split)) private _splits;

    function registerPayout(uint64 payoutId, address merchant, uint16 feeBps, Split[] calldata splits)
        external
        onlyRole(REGISTRAR_ROLE)
    {
        if (_heads[payoutId].merchant != address(0)) revert PayoutExists(payoutId);
        _requireRecipient(merchant);
        if (feeBps > MAX_FEE_BPS) revert FeeTooHigh(feeBps, MAX_FEE_BPS);
        if (splits.length > MAX_SPLITS) revert TooManySplits(splits.length, MAX_SPLITS);
        uint256 sumBps = feeBps;
        for (uint256 i; i < splits.length; ++i) {
            _requireRecipient(splits[i].to);
            if (splits[i].bps == 0) revert EmptySplit(i);
            sumBps += splits[i].bps;
            _splits[payoutId][i] = splits[i];
        }
        if (sumBps > Shares.WHOLE_BPS) revert SharesTooHigh(sumBps, Shares.WHOLE_BPS);
        _heads[payoutId] = PayoutHead(merchant, feeBps, uint8(splits.length), 0);
        emit PayoutRegistered(payoutId, merchant, feeBps, splits);
    }

    function retirePayout(uint64 payoutId) external onlyRole(REGISTRAR_ROLE) {
        PayoutHead storage head = _heads[payoutId];
        if (head.merchant == address(0)) revert PayoutUnknown(payoutId);
        if (head.offAt != 0) revert PayoutAlreadyRetired(payoutId, head.offAt);
        uint64 offAt = uint64(block.timestamp) + SWITCH_OFF_DELAY;
        head.offAt = offAt;
        emit PayoutRetired(payoutId, offAt);
    }

    function payout(uint64 payoutId) external view returns (PayoutHead memory head, Split[] memory splits) {
        head = _heads[payoutId];
        splits = _loadSplits(payoutId, head.splitCount);
    }

    function boundNonce(address token, uint64 payoutId, uint64 intentCode, uint16 attempt)
        external
        view
        returns (bytes32)
    {
        PayoutHead memory head = _heads[payoutId];
        if (head.merchant == address(0)) revert PayoutUnknown(payoutId);
        Split[] memory splits = _loadSplits(payoutId, head.splitCount);
        return BoundNonce.derive(BoundNonce.termsHash(token, payoutId, head, splits), intentCode, attempt);
    }

    function _head(uint64 payoutId) internal view returns (PayoutHead memory) {
        return _heads[payoutId];
    }

    function _isActive(PayoutHead memory head) internal view returns (bool) {
        return head.merchant != address(0) && (head.offAt == 0 || block.timestamp < head.offAt);
    }

    function _activeHead(uint64 payoutId) internal view returns (PayoutHead memory head) {
        head = _heads[payoutId];
        if (!_isActive(head)) revert PayoutInactive(payoutId);
    }

    function _loadSplits(uint64 payoutId, uint256 count) internal view returns (Split[] memory splits) {
        splits = new Split[](count);
        for (uint256 i; i < count; ++i) {
            splits[i] = _splits[payoutId][i];
        }
    }

    /// @dev A tagged nonce settles only under the terms it was made for.
    function _requireBinding(address token, uint64 payoutId, PayoutHead memory head, uint64 intentCode, bytes32 nonce)
        internal
        view
    {
        if (!BoundNonce.isBound(nonce)) return;
        bytes32 terms = BoundNonce.termsHash(token, payoutId, head, _loadSplits(payoutId, head.splitCount));
        bytes32 expected = BoundNonce.derive(terms, intentCode, BoundNonce.attemptOf(nonce));
        if (nonce != expected) revert NonceNotBound(nonce, expected);
    }
}
