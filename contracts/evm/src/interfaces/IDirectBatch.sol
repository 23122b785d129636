// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ItemCode} from "../PaymentTypes.sol";

/// @notice Submits many EIP-3009 transfers of one token in one transaction. Every transfer goes from its signer to the
/// wallet that the signer named; anybody may call.
interface IDirectBatch {
    /// @dev The token refused one item, counted from zero over all groups. Says why as far as the token's state tells;
    /// proof of a payment are the token's own logs alone.
    event ItemRefused(uint256 index, ItemCode code);

    /// @dev Groups and items do not end where the bytes end, or the wallet of a group is this contract.
    error MalformedBatch();

    /// @notice Submits the items of all groups in order. An item that the token refuses changes nothing.
    /// @param callGas Most gas that the transfer of one item may burn; an item of a contract wallet may burn
    /// `WALLET_GAS` more. The batch reverts when less is left for an item.
    /// @param groups Groups one after another, packed:
    /// wallet (20 bytes) | payout id (8) | count of items (2) | items.
    /// An item: payer (20) | value (12) | validAfter (5) | validBefore (5) | intent code (8) | length of the signature
    /// (2) | nonce (32) | signature. Length 0 means a signature of a key, 64 bytes: r (32) | s with the parity in its top
    /// bit (32), as in EIP-2098. Any other length means the bytes that a contract wallet verifies itself.
    /// Payout ids and intent codes are for readers of the calldata; the contract ignores them.
    /// @return codes One `ItemCode` per item.
    function settle(address token, uint32 callGas, bytes calldata groups) external returns (bytes memory codes);
}
