// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {AccessControlEnumerable} from "@openzeppelin/contracts/access/extensions/AccessControlEnumerable.sol";
import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {IPaymentProcessor} from "../interfaces/IPaymentProcessor.sol";

/// @dev Who may do what. The admin (a timelock) grants the other roles; no role can reach money beyond its own limits.
abstract contract Roles is IPaymentProcessor, AccessControlEnumerable, Pausable, ReentrancyGuardTransient {
    /// @notice Relayers: settle signed authorizations.
    bytes32 public constant OPERATOR_ROLE = keccak256("OPERATOR_ROLE");
    /// @notice Registers and retires payouts.
    bytes32 public constant REGISTRAR_ROLE = keccak256("REGISTRAR_ROLE");
    /// @notice May pause, and nothing else.
    bytes32 public constant GUARDIAN_ROLE = keccak256("GUARDIAN_ROLE");
    /// @notice Completes or returns stranded money.
    bytes32 public constant RECOVERY_ROLE = keccak256("RECOVERY_ROLE");

    /// @dev Shares a storage slot with the pause flag, which every payment reads anyway.
    address public feeRecipient;

    constructor(address admin, address feeTo) {
        if (admin == address(0)) revert ZeroAddress();
        _grantRole(DEFAULT_ADMIN_ROLE, admin);
        _changeFeeRecipient(feeTo);
    }

    function changeFeeRecipient(address recipient) external onlyRole(DEFAULT_ADMIN_ROLE) {
        _changeFeeRecipient(recipient);
    }

    function pause() external onlyRole(GUARDIAN_ROLE) {
        _pause();
    }

    function unpause() external onlyRole(DEFAULT_ADMIN_ROLE) {
        _unpause();
    }

    function _changeFeeRecipient(address recipient) private {
        _requireRecipient(recipient);
        emit FeeRecipientChanged(feeRecipient, recipient);
        feeRecipient = recipient;
    }

    /// @dev Money sent to the processor itself would look like surplus.
    function _requireRecipient(address recipient) internal view {
        if (recipient == address(0) || recipient == address(this)) revert InvalidRecipient(recipient);
    }
}
