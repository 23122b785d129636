// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IDirectBatch} from "./interfaces/IDirectBatch.sol";
import {IPaymentEvents} from "./interfaces/IPaymentEvents.sol";
import {TokenCall} from "./lib/TokenCall.sol";
import {ItemCode} from "./PaymentTypes.sol";

/// @notice See `IDirectBatch`. No owner, no role, no storage, no approval; it holds no token and calls nothing but
/// `transferWithAuthorization` and views. Whatever a caller puts into a batch, a token moves only what its owner signed,
/// to the wallet that the owner signed.
/// @dev The call of an item is built in memory at `FRAME`: the selector in the last four bytes of the first word, then one
/// word per argument. The recipient is written once per group, the rest for each item. A fixed place costs 60 gas less per
/// item than a variable one.
contract DirectBatch is IDirectBatch {
    /// @dev What a contract wallet may burn to verify its signature, on top of the gas of a transfer.
    uint256 public constant WALLET_GAS = 500_000;
    /// @dev What a call itself costs on top of the gas it passes on, with room for a cold account.
    uint256 private constant CALL_OVERHEAD = 10_000;
    /// @dev `transferWithAuthorization` with the signature in three parts, and as bytes.
    uint256 private constant KEY_SELECTOR = 0xe3ee160e;
    uint256 private constant WALLET_SELECTOR = 0xcf092995;
    /// @dev An item without its signature.
    uint256 private constant ITEM_BYTES = 84;

    /// @dev Where Solidity's allocations begin.
    uint256 private constant FRAME = 0x80;
    uint256 private constant CALL_START = 0x9c;
    uint256 private constant FROM = 0xa0;
    uint256 private constant TO = 0xc0;
    uint256 private constant VALUE = 0xe0;
    uint256 private constant VALID_AFTER = 0x100;
    uint256 private constant VALID_BEFORE = 0x120;
    uint256 private constant NONCE = 0x140;
    uint256 private constant V = 0x160;
    uint256 private constant R = 0x180;
    uint256 private constant S = 0x1a0;
    uint256 private constant FRAME_END = 0x1c0;

    function settle(address token, uint32 callGas, bytes calldata groups) external returns (bytes memory codes) {
        assembly ("memory-safe") {
            // Nothing is allocated yet; from here on the frame is.
            if iszero(eq(mload(0x40), FRAME)) { revert(0, 0) }
            mstore(0x40, FRAME_END)
        }
        if (token.code.length == 0) revert IPaymentEvents.TokenWithoutCode(token);
        // Room for as many items as can be; the length becomes their count at the end.
        codes = new bytes(groups.length / ITEM_BYTES);
        uint256 itemGas = callGas;
        uint256 position;
        uint256 end;
        uint256 index;
        assembly ("memory-safe") {
            position := groups.offset
            end := add(position, groups.length)
        }
        while (position < end) {
            uint256 left;
            (position, left) = _readGroup(position);
            while (left != 0) {
                bool done;
                (position, done) = _submit(token, itemGas, position, end);
                if (!done) {
                    ItemCode code = _refusal(token);
                    codes[index] = bytes1(uint8(code));
                    emit ItemRefused(index, code);
                }
                unchecked {
                    ++index;
                    --left;
                }
            }
        }
        if (position != end) revert MalformedBatch();
        assembly ("memory-safe") {
            mstore(codes, index)
        }
    }

    /// @dev Writes the recipient of the group's items. Bytes 20 to 27 are the payout id, which nothing here reads.
    function _readGroup(uint256 position) private view returns (uint256 next, uint256 count) {
        bool toItself;
        assembly ("memory-safe") {
            let head := calldataload(position)
            let wallet := shr(96, head)
            mstore(TO, wallet)
            toItself := eq(wallet, address())
            count := and(shr(16, head), 0xffff)
            next := add(position, 30)
        }
        // Nobody could ever move a token from here.
        if (toItself) revert MalformedBatch();
    }

    /// @dev Builds the call of one item and makes it. Bytes 42 to 49 are the intent code, which nothing here reads.
    function _submit(address token, uint256 itemGas, uint256 position, uint256 end)
        private
        returns (uint256 next, bool done)
    {
        uint256 start;
        uint256 size;
        assembly ("memory-safe") {
            let head := calldataload(position)
            mstore(FROM, shr(96, head))
            mstore(VALUE, and(head, 0xffffffffffffffffffffffff))
            let window := calldataload(add(position, 32))
            mstore(VALID_AFTER, shr(216, window))
            mstore(VALID_BEFORE, and(shr(176, window), 0xffffffffff))
            mstore(NONCE, calldataload(add(position, 52)))
            let length := and(shr(96, window), 0xffff)
            switch length
            case 0 {
                let vs := calldataload(add(position, 116))
                mstore(FRAME, KEY_SELECTOR)
                mstore(V, add(27, shr(255, vs)))
                mstore(R, calldataload(add(position, 84)))
                mstore(S, shr(1, shl(1, vs)))
                start := CALL_START
                size := 0x124
                next := add(position, 148)
            }
            default {
                // Behind all that is allocated, because the signature may be longer than the frame.
                let free := mload(0x40)
                let padded := and(add(length, 31), not(31))
                mstore(FRAME, WALLET_SELECTOR)
                mcopy(free, FRAME, 0xe0)
                mstore(add(free, 0xe0), 0xe0)
                mstore(add(free, 0x100), length)
                // The last word first: padding is zero whatever an item before has written there.
                mstore(add(free, add(0x100, padded)), 0)
                calldatacopy(add(free, 0x120), add(position, 84), length)
                start := add(free, 0x1c)
                size := add(0x104, padded)
                next := add(add(position, 84), length)
                itemGas := add(itemGas, WALLET_GAS)
            }
        }
        // What was read behind the end is not used.
        if (next > end) revert MalformedBatch();
        unchecked {
            // A call gets at most 63 of 64 parts of the gas that is left (EIP-150). Without this check a caller who sends
            // too little gas could make a sound transfer look refused.
            uint256 required = itemGas + itemGas / 63 + CALL_OVERHEAD;
            if (gasleft() < required) revert IPaymentEvents.NotEnoughGas(gasleft(), required);
        }
        assembly ("memory-safe") {
            done := call(itemGas, token, 0, start, size, 0, 0x20)
            if returndatasize() {
                // A token may return `true`; anything else that it returns is a refusal.
                done := and(done, and(gt(returndatasize(), 31), eq(mload(0), 1)))
            }
        }
    }

    /// @dev Why the token said no, as far as clock and state tell.
    function _refusal(address token) private view returns (ItemCode) {
        address payer;
        uint256 value;
        uint256 validAfter;
        uint256 validBefore;
        bytes32 nonce;
        assembly ("memory-safe") {
            payer := mload(FROM)
            value := mload(VALUE)
            validAfter := mload(VALID_AFTER)
            validBefore := mload(VALID_BEFORE)
            nonce := mload(NONCE)
        }
        if (TokenCall.authorizationUsed(token, payer, nonce)) return ItemCode.AuthorizationUsed;
        if (block.timestamp <= validAfter) return ItemCode.NotYetValid;
        if (block.timestamp >= validBefore) return ItemCode.Expired;
        if (TokenCall.isShort(token, payer, value)) return ItemCode.InsufficientFunds;
        return ItemCode.PullRefused;
    }
}
