// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ItemCode, Split, TokenConfig} from "../PaymentTypes.sol";

/// @notice Everything the processor says. The books can be rebuilt from these logs alone.
interface IPaymentEvents {
    /// @notice An intent was settled; emitted once per intent code, ever. What went back to the payer is
    /// `cap - settled`; the merchant's part is `settled - fee` less the splits of the payout's terms.
    /// It directly follows the token's own `Transfer(payer, processor, cap)`, except after `StrandedSettled`.
    event PaymentSettled(
        uint64 indexed intentCode,
        address indexed payer,
        address indexed token,
        uint64 payoutId,
        uint256 cap,
        uint256 settled,
        uint256 fee
    );

    /// @notice An item of a batch moved no money. `reason` is at most 132 bytes of what the token said.
    event PaymentFailed(uint64 indexed intentCode, address indexed payer, ItemCode code, bytes reason);

    /// @notice The payer paid in person. It credits an intent only if token and payout are the intent's own.
    event PaymentReceived(
        uint64 indexed intentCode,
        address indexed payer,
        address indexed token,
        uint64 payoutId,
        uint256 amount,
        uint256 fee
    );

    /// @notice A leg could not be delivered and is kept for its owner.
    event Escrowed(address indexed token, address indexed account, uint256 amount);
    event EscrowWithdrawn(address indexed token, address indexed account, uint256 amount);

    /// @notice Money that a direct submission had stranded was assigned to an intent; `PaymentSettled` follows.
    event StrandedSettled(uint64 indexed intentCode, address indexed payer, address indexed token, bytes32 nonce);
    /// @notice Money that a direct submission had stranded went back whole.
    event StrandedReturned(address indexed payer, address indexed token, bytes32 indexed nonce, uint256 amount);
    /// @notice A bare transfer was sent back; `transferId` names it and is used once.
    event SurplusReturned(address indexed to, address indexed token, bytes32 indexed transferId, uint256 amount);

    event PayoutRegistered(uint64 indexed payoutId, address indexed merchant, uint16 feeBps, Split[] splits);
    event PayoutRetired(uint64 indexed payoutId, uint64 offAt);
    event TokenConfigured(address indexed token, TokenConfig config);
    event FeeRecipientChanged(address indexed previous, address indexed current);

    error ZeroAddress();
    error InvalidRecipient(address recipient);
    error FeeTooHigh(uint256 feeBps, uint256 maxBps);
    error TooManySplits(uint256 count, uint256 max);
    error EmptySplit(uint256 index);
    error SharesTooHigh(uint256 sumBps, uint256 maxBps);
    error PayoutExists(uint64 payoutId);
    error PayoutUnknown(uint64 payoutId);
    error PayoutInactive(uint64 payoutId);
    error PayoutAlreadyRetired(uint64 payoutId, uint64 offAt);
    error TokenWithoutCode(address token);
    error TokenNotEnabled(address token);
    error CallGasOutOfRange(uint256 callGas, uint256 min, uint256 max);
    error IntentAlreadySettled(uint64 intentCode);
    error AmountOutOfRange(uint256 settled, uint256 cap);
    error NonceNotBound(bytes32 nonce, bytes32 expected);
    error HourlyCapExceeded(address spender, address token, uint256 attempted, uint256 cap);
    error PullFailed(bytes reason);
    error DeliveryFailed(address token, address account);
    error WrongAmountArrived(uint256 expected, uint256 arrived);
    error BalanceMismatch(uint256 expected, uint256 actual);
    error NotEnoughGas(uint256 available, uint256 required);
    error BatchTooLarge(uint256 items, uint256 max);
    error PermitExpired(uint256 deadline, uint256 timestamp);
    error PermitUsed(bytes32 digest);
    error PermitNotInForce(uint256 allowance, uint256 value);
    error InvalidSignature();
    error AuthorizationNotUsed(address from, bytes32 nonce);
    error AuthorizationCannotStrand();
    error AlreadyRecovered(bytes32 key);
    error SurplusTooSmall(uint256 surplus, uint256 required);
    error NothingOwed(address token, address account);
}
