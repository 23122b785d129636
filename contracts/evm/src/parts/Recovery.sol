// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";
import {Authorization, AuthorizationKind, PayoutHead, TokenConfig} from "../PaymentTypes.sol";
import {SignedMessage} from "../lib/SignedMessage.sol";
import {TokenCall} from "../lib/TokenCall.sol";
import {Settlement} from "./Settlement.sol";

/// @dev Anybody who sees a `TransferWithAuthorization` may submit it to the token directly: the money then lies here
/// and our own call fails. Recovery completes such a payment or returns it.
/// What is checked here (a used nonce, the payer's signature, a surplus that covers it, no second recovery) is not
/// proof that this authorization brought the money: its nonce may have been burned by a cancellation or by another
/// authorization. Only the token's finalized logs prove it, and reading them is the recovery key's duty; what a wrong
/// or stolen key can do is bounded by its hourly cap and by the surplus.
abstract contract Recovery is Settlement {
    mapping(bytes32 key => bool) private _recovered;

    function settleStranded(
        address token,
        uint64 intentCode,
        uint64 payoutId,
        Authorization calldata authorization,
        uint256 settled,
        bytes calldata signature
    ) external onlyRole(RECOVERY_ROLE) whenNotPaused nonReentrant {
        PayoutHead memory head = _activeHead(payoutId);
        _requireAmounts(settled, authorization.value);
        _requireUnsettled(intentCode);
        _requireBinding(token, payoutId, head, intentCode, authorization.nonce);
        TokenConfig memory config = _takeStranded(token, authorization, signature);
        _markSettled(intentCode);
        emit StrandedSettled(intentCode, authorization.from, token, authorization.nonce);
        uint256 before = TokenCall.balance(token, address(this));
        Legs memory legs = Legs(token, config.callGas, 0);
        Order memory order = Order(token, intentCode, payoutId, authorization.from, authorization.value, settled);
        _settleOrder(legs, order, head);
        _requireBalance(token, before - authorization.value + legs.escrowed);
    }

    function returnStranded(address token, Authorization calldata authorization, bytes calldata signature)
        external
        onlyRole(RECOVERY_ROLE)
        whenNotPaused
        nonReentrant
    {
        TokenConfig memory config = _takeStranded(token, authorization, signature);
        emit StrandedReturned(authorization.from, token, authorization.nonce, authorization.value);
        _returnLeg(token, config.callGas, authorization.from, authorization.value);
    }

    function returnSurplus(address token, address to, uint256 amount, bytes32 transferId)
        external
        onlyRole(RECOVERY_ROLE)
        whenNotPaused
        nonReentrant
    {
        _requireRecipient(to);
        TokenConfig memory config = _takeSurplus(token, amount, keccak256(abi.encode(token, transferId)));
        emit SurplusReturned(to, token, transferId, amount);
        _returnLeg(token, config.callGas, to, amount);
    }

    function _takeStranded(address token, Authorization calldata a, bytes calldata signature)
        private
        returns (TokenConfig memory config)
    {
        if (a.kind != AuthorizationKind.Transfer) revert AuthorizationCannotStrand();
        config = _takeSurplus(token, a.value, keccak256(abi.encode(token, a.from, a.nonce)));
        if (!TokenCall.authorizationUsed(token, a.from, a.nonce)) revert AuthorizationNotUsed(a.from, a.nonce);
        bytes32 digest = SignedMessage.transferDigest(token, a);
        if (!SignatureChecker.isValidSignatureNowCalldata(a.from, digest, signature)) revert InvalidSignature();
    }

    /// @dev Escrow belongs to its owners: only what lies here beyond it can be taken, and each find once.
    function _takeSurplus(address token, uint256 amount, bytes32 key) private returns (TokenConfig memory config) {
        config = _knownToken(token);
        if (_recovered[key]) revert AlreadyRecovered(key);
        _recovered[key] = true;
        uint256 available = surplus(token);
        if (amount == 0 || available < amount) revert SurplusTooSmall(available, amount);
        _spend(msg.sender, token, amount, config.recoveryHourlyCap);
    }

    function _returnLeg(address token, uint256 callGas, address to, uint256 amount) private {
        uint256 before = TokenCall.balance(token, address(this));
        Legs memory legs = Legs(token, callGas, 0);
        _payLeg(legs, to, amount);
        _requireBalance(token, before - amount + legs.escrowed);
    }
}
