// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Authorization, BatchGroup, Permit, PayoutHead, Split, TokenConfig} from "../PaymentTypes.sol";
import {IPaymentEvents} from "./IPaymentEvents.sol";

/// @title PaymentProcessor 1.3.0
/// @notice Takes a payer's signed authorization and pays a registered payout: platform fee and splits on the settled
/// amount, the rest of it to the merchant, what the payer signed beyond it back to the payer, in one transaction.
/// @dev Amounts are in the token's smallest unit. fee = floor(settled * feeBps / 10000), each split alike; the
/// merchant receives the remainder. Terms of a payout id never change. There is no upgrade and no owner withdrawal.
interface IPaymentProcessor is IPaymentEvents {
    /// @notice "1.3.0". Up-to payments exist from 1.3.0 on.
    function version() external pure returns (string memory);

    /// @notice Settles an exact payment: the settled amount is the signed value. Operator only; all or nothing.
    function payWithSignature(
        address token,
        uint64 intentCode,
        uint64 payoutId,
        Authorization calldata authorization,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external;

    /// @notice The same with a signature of any length, for contract wallets (ERC-1271).
    function payWithSignature(
        address token,
        uint64 intentCode,
        uint64 payoutId,
        Authorization calldata authorization,
        bytes calldata signature
    ) external;

    /// @notice Settles an up-to payment: pulls the signed maximum once, pays `settled` out (0 < settled <= maximum)
    /// and returns the rest to the payer. Operator only; all or nothing.
    function payWithSignatureUpto(
        address token,
        uint64 intentCode,
        uint64 payoutId,
        Authorization calldata authorization,
        uint256 settled,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external;

    /// @notice The same with a signature of any length, for contract wallets (ERC-1271).
    function payWithSignatureUpto(
        address token,
        uint64 intentCode,
        uint64 payoutId,
        Authorization calldata authorization,
        uint256 settled,
        bytes calldata signature
    ) external;

    /// @notice Settles with an EIP-2612 permit, for tokens without EIP-3009. A permit pays once. A permit that someone
    /// else already submitted still pays; an allowance without a fresh permit never does. Operator only.
    function payWithPermit(address token, uint64 intentCode, uint64 payoutId, Permit calldata permit, uint256 settled)
        external;

    /// @notice The caller pays from an allowance. The service credits it where every term is the intent's. Open to anyone,
    /// any number of times per code; it neither reads nor writes the record of settled intents, so it can block no
    /// settlement.
    function pay(address token, uint64 intentCode, uint64 payoutId, uint256 amount) external;

    /// @notice Settles up to 200 payments, isolated from each other: an item that cannot be settled moves nothing and
    /// is reported by its code. Operator only.
    /// @return codes one `ItemCode` byte per item, in order of the groups and their items; `eth_call` simulates.
    function settleBatch(address token, BatchGroup[] calldata groups) external returns (bytes memory codes);

    /// @notice Completes a payment whose authorization was submitted to the token directly. Recovery only, and only
    /// after the caller proved from finalized logs that this very authorization brought the money: see the docs.
    function settleStranded(
        address token,
        uint64 intentCode,
        uint64 payoutId,
        Authorization calldata authorization,
        uint256 settled,
        bytes calldata signature
    ) external;

    /// @notice Sends money that a direct submission stranded back to its payer, whole. Recovery only.
    function returnStranded(address token, Authorization calldata authorization, bytes calldata signature) external;

    /// @notice Sends a bare transfer back. `transferId` identifies that transfer and is accepted once. Recovery only.
    function returnSurplus(address token, address to, uint256 amount, bytes32 transferId) external;

    /// @notice Pays out what is kept for `account`, to `account`. Anyone may call; works while paused.
    function withdraw(address token, address account) external;

    /// @notice Registers a payout under an unused id, effective at once and for ever unchanged. Registrar only.
    function registerPayout(uint64 payoutId, address merchant, uint16 feeBps, Split[] calldata splits) external;

    /// @notice Switches a payout off after `SWITCH_OFF_DELAY`, so that open authorizations can still settle.
    /// Registrar only; cannot be repeated, shortened or undone.
    function retirePayout(uint64 payoutId) external;

    /// @notice Allows or stops a token and sets its limits. Admin only.
    function configureToken(address token, TokenConfig calldata config) external;

    /// @notice Changes who receives platform fees. Admin only.
    function changeFeeRecipient(address recipient) external;

    /// @notice Stops every payment and recovery; escrow stays withdrawable. Guardian only.
    function pause() external;

    /// @notice Admin only.
    function unpause() external;

    function isSettled(uint64 intentCode) external view returns (bool);
    function payout(uint64 payoutId) external view returns (PayoutHead memory head, Split[] memory splits);
    function tokenConfig(address token) external view returns (TokenConfig memory);
    function owed(address token, address account) external view returns (uint256);
    function totalOwed(address token) external view returns (uint256);
    function feeRecipient() external view returns (address);

    /// @notice What lies here beyond escrow: stranded authorizations and bare transfers.
    function surplus(address token) external view returns (uint256);

    /// @notice What `spender` has moved in the hour buckets that still count.
    function spentRecently(address spender, address token) external view returns (uint256);

    /// @notice The nonce that binds an authorization to these terms. `attempt` tells repeated attempts apart.
    function boundNonce(address token, uint64 payoutId, uint64 intentCode, uint16 attempt)
        external
        view
        returns (bytes32);
}
