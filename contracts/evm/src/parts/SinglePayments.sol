// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Permit.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {IEIP3009, IEIP3009Bytes} from "../interfaces/IAuthorizedToken.sol";
import {Authorization, AuthorizationKind, PayoutHead, Permit, TokenConfig} from "../PaymentTypes.sol";
import {Shares} from "../lib/Shares.sol";
import {SignedMessage} from "../lib/SignedMessage.sol";
import {TokenCall} from "../lib/TokenCall.sol";
import {Settlement} from "./Settlement.sol";

/// @dev One payment per transaction, all or nothing.
abstract contract SinglePayments is Settlement {
    mapping(bytes32 digest => bool) private _usedPermits;

    function payWithSignature(
        address token,
        uint64 intentCode,
        uint64 payoutId,
        Authorization calldata authorization,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        Order memory order = Order(
            token, intentCode, payoutId, authorization.from, authorization.value, authorization.value
        );
        _payAuthorized(order, authorization.nonce, _pullCall(authorization, v, r, s));
    }

    function payWithSignature(
        address token,
        uint64 intentCode,
        uint64 payoutId,
        Authorization calldata authorization,
        bytes calldata signature
    ) external {
        Order memory order = Order(
            token, intentCode, payoutId, authorization.from, authorization.value, authorization.value
        );
        _payAuthorized(order, authorization.nonce, _pullCall(authorization, signature));
    }

    function payWithSignatureUpto(
        address token,
        uint64 intentCode,
        uint64 payoutId,
        Authorization calldata authorization,
        uint256 settled,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        Order memory order = Order(token, intentCode, payoutId, authorization.from, authorization.value, settled);
        _payAuthorized(order, authorization.nonce, _pullCall(authorization, v, r, s));
    }

    function payWithSignatureUpto(
        address token,
        uint64 intentCode,
        uint64 payoutId,
        Authorization calldata authorization,
        uint256 settled,
        bytes calldata signature
    ) external {
        Order memory order = Order(token, intentCode, payoutId, authorization.from, authorization.value, settled);
        _payAuthorized(order, authorization.nonce, _pullCall(authorization, signature));
    }

    function payWithPermit(address token, uint64 intentCode, uint64 payoutId, Permit calldata permit, uint256 settled)
        external
        onlyRole(OPERATOR_ROLE)
        whenNotPaused
        nonReentrant
    {
        TokenConfig memory config = _enabledToken(token);
        PayoutHead memory head = _activeHead(payoutId);
        _usePermit(token, permit);
        Order memory order = Order(token, intentCode, payoutId, permit.owner, permit.value, settled);
        bytes memory pullCall = abi.encodeCall(IERC20.transferFrom, (permit.owner, address(this), permit.value));
        _execute(order, config, head, pullCall);
    }

    function pay(address token, uint64 intentCode, uint64 payoutId, uint256 amount)
        external
        whenNotPaused
        nonReentrant
    {
        TokenConfig memory config = _enabledToken(token);
        PayoutHead memory head = _activeHead(payoutId);
        _requireAmounts(amount, amount);
        uint256 before = TokenCall.balance(token, address(this));
        _pull(token, abi.encodeCall(IERC20.transferFrom, (msg.sender, address(this), amount)), amount, before);
        uint256 fee = Shares.part(amount, head.feeBps);
        emit PaymentReceived(intentCode, msg.sender, token, payoutId, amount, fee);
        Legs memory legs = Legs(token, config.callGas, 0);
        _payShares(legs, payoutId, head, amount, fee);
        _requireBalance(token, before + legs.escrowed);
    }

    function _payAuthorized(Order memory order, bytes32 nonce, bytes memory pullCall)
        private
        onlyRole(OPERATOR_ROLE)
        whenNotPaused
        nonReentrant
    {
        TokenConfig memory config = _enabledToken(order.token);
        PayoutHead memory head = _activeHead(order.payoutId);
        _requireBinding(order.token, order.payoutId, head, order.intentCode, nonce);
        _execute(order, config, head, pullCall);
    }

    function _execute(Order memory order, TokenConfig memory config, PayoutHead memory head, bytes memory pullCall)
        private
    {
        _requireAmounts(order.settled, order.cap);
        _requireUnsettled(order.intentCode);
        _spend(msg.sender, order.token, order.settled, config.operatorHourlyCap);
        _markSettled(order.intentCode);
        uint256 before = TokenCall.balance(order.token, address(this));
        _pull(order.token, pullCall, order.cap, before);
        Legs memory legs = Legs(order.token, config.callGas, 0);
        _settleOrder(legs, order, head);
        _requireBalance(order.token, before + legs.escrowed);
    }

    /// @dev Makes sure that this permit, signed by its owner and never used here, is what the allowance comes from.
    /// The token's own call may fail because somebody submitted the permit before us; then the allowance says so. An
    /// allowance of any other size stems from elsewhere and is not ours to spend.
    function _usePermit(address token, Permit calldata permit) private {
        if (permit.deadline < block.timestamp) revert PermitExpired(permit.deadline, block.timestamp);
        bytes32 digest = SignedMessage.permitDigest(token, permit);
        if (_usedPermits[digest]) revert PermitUsed(digest);
        _usedPermits[digest] = true;
        (address signer, ECDSA.RecoverError problem,) = ECDSA.tryRecover(digest, permit.v, permit.r, permit.s);
        if (problem != ECDSA.RecoverError.NoError || signer != permit.owner) revert InvalidSignature();
        TokenCall.tryCall(
            token,
            gasleft(),
            abi.encodeCall(
                IERC20Permit.permit,
                (permit.owner, address(this), permit.value, permit.deadline, permit.v, permit.r, permit.s)
            )
        );
        uint256 allowance = IERC20(token).allowance(permit.owner, address(this));
        if (allowance != permit.value) revert PermitNotInForce(allowance, permit.value);
    }

    function _pullCall(Authorization calldata a, uint8 v, bytes32 r, bytes32 s) private view returns (bytes memory) {
        bytes4 selector = a.kind == AuthorizationKind.Transfer
            ? IEIP3009.transferWithAuthorization.selector
            : IEIP3009.receiveWithAuthorization.selector;
        return
            abi.encodeWithSelector(
                selector, a.from, address(this), a.value, a.validAfter, a.validBefore, a.nonce, v, r, s
            );
    }

    /// @dev 65 bytes go through the standard call, which every EIP-3009 token has.
    function _pullCall(Authorization calldata a, bytes calldata signature) private view returns (bytes memory) {
        if (signature.length == 65) {
            return _pullCall(a, uint8(signature[64]), bytes32(signature[0:32]), bytes32(signature[32:64]));
        }
        bytes4 selector = a.kind == AuthorizationKind.Transfer
            ? IEIP3009Bytes.transferWithAuthorization.selector
            : IEIP3009Bytes.receiveWithAuthorization.selector;
        return abi.encodeWithSelector(
            selector, a.from, address(this), a.value, a.validAfter, a.validBefore, a.nonce, signature
        );
    }
}
