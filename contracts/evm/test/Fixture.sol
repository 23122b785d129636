// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Test} from "forge-std/Test.sol";
import {
    Authorization,
    AuthorizationKind,
    BatchGroup,
    BatchItem,
    Permit,
    Split,
    TokenConfig
} from "../src/PaymentTypes.sol";
import {IPaymentEvents} from "../src/interfaces/IPaymentEvents.sol";
import {IProcessor} from "./IProcessor.sol";
import {MockUSDC} from "./mocks/MockUSDC.sol";

/// @dev A processor with every role on its own account, one token, and two payouts: plain (fee 0.5 %) and split.
abstract contract Fixture is Test, IPaymentEvents {
    uint64 internal constant PLAIN = 1;
    uint64 internal constant SPLIT = 2;
    uint256 internal constant PAYER_KEY = 0xA11CE;
    uint256 internal constant FUNDS = 1e15;
    uint104 internal constant CAP = 1e18;
    bytes32 private constant TRANSFER_TYPEHASH = keccak256(
        "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );
    bytes32 private constant RECEIVE_TYPEHASH = keccak256(
        "ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );
    bytes32 private constant PERMIT_TYPEHASH =
        keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");

    IProcessor internal processor;
    MockUSDC internal token;
    address internal admin = makeAddr("admin");
    address internal operator = makeAddr("operator");
    address internal registrar = makeAddr("registrar");
    address internal guardian = makeAddr("guardian");
    address internal recovery = makeAddr("recovery");
    address internal feeTo = makeAddr("feeTo");
    address internal merchant = makeAddr("merchant");
    address internal partner = makeAddr("partner");
    address internal affiliate = makeAddr("affiliate");
    address internal stranger = makeAddr("stranger");
    address internal payer = vm.addr(PAYER_KEY);
    uint256 private _nonceCount;

    function setUp() public virtual {
        vm.warp(1_800_000_000);
        token = _newToken();
        processor = IProcessor(deployCode(_artifact("PaymentProcessor"), abi.encode(admin, feeTo)));
        vm.startPrank(admin);
        processor.grantRole(processor.OPERATOR_ROLE(), operator);
        processor.grantRole(processor.REGISTRAR_ROLE(), registrar);
        processor.grantRole(processor.GUARDIAN_ROLE(), guardian);
        processor.grantRole(processor.RECOVERY_ROLE(), recovery);
        vm.stopPrank();
        _enable(address(token), CAP, CAP);
        _register(PLAIN, merchant, 50, new Split[](0));
        Split[] memory two = new Split[](2);
        two[0] = Split(partner, 1_000);
        two[1] = Split(affiliate, 333);
        _register(SPLIT, merchant, 250, two);
        token.mint(payer, FUNDS);
    }

    function _newToken() internal virtual returns (MockUSDC) {
        return MockUSDC(deployCode(_artifact("MockUSDC"), abi.encode(6)));
    }

    /// @dev The contract as it is deployed, if the optimized build is there; otherwise the one of this very run.
    function _artifact(string memory contractName) internal view returns (string memory) {
        string memory directory = vm.envOr("CONTRACT_ARTIFACTS", string(""));
        string memory id = string.concat(contractName, ".sol:", contractName);
        if (bytes(directory).length == 0) return id;
        return string.concat(directory, "/", contractName, ".sol/", contractName, ".json");
    }

    function _enable(address which, uint104 operatorCap, uint104 recoveryCap) internal {
        vm.prank(admin);
        processor.configureToken(which, TokenConfig(true, 200_000, operatorCap, recoveryCap));
    }

    function _register(uint64 payoutId, address to, uint16 feeBps, Split[] memory splits) internal {
        vm.prank(registrar);
        processor.registerPayout(payoutId, to, feeBps, splits);
    }

    function _authorization(address from, uint256 value) internal returns (Authorization memory) {
        bytes32 nonce = keccak256(abi.encode("nonce", ++_nonceCount));
        return
            Authorization(
                AuthorizationKind.Transfer, from, value, block.timestamp - 1 days, block.timestamp + 300, nonce
            );
    }

    function _digest(Authorization memory a, address to) internal view returns (bytes32) {
        return _digest(a, to, token.DOMAIN_SEPARATOR());
    }

    function _digest(Authorization memory a, address to, bytes32 domain) internal pure returns (bytes32) {
        bytes32 typehash = a.kind == AuthorizationKind.Transfer ? TRANSFER_TYPEHASH : RECEIVE_TYPEHASH;
        bytes32 structHash = keccak256(abi.encode(typehash, a.from, to, a.value, a.validAfter, a.validBefore, a.nonce));
        return keccak256(abi.encodePacked(hex"1901", domain, structHash));
    }

    function _sign(uint256 key, Authorization memory a) internal view returns (uint8 v, bytes32 r, bytes32 s) {
        return vm.sign(key, _digest(a, address(processor)));
    }

    function _signature(uint256 key, Authorization memory a) internal view returns (bytes memory) {
        return _signature(key, a, address(processor));
    }

    function _signature(uint256 key, Authorization memory a, address to) internal view returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, _digest(a, to));
        return abi.encodePacked(r, s, v);
    }

    /// @dev Submits an authorization to the token directly, as any observer can.
    function _submitDirectly(Authorization memory a, bytes memory signature, address to) internal {
        token.transferWithAuthorization(a.from, to, a.value, a.validAfter, a.validBefore, a.nonce, signature);
    }

    function _permit(uint256 key, uint256 value, uint256 deadline) internal view returns (Permit memory) {
        address owner = vm.addr(key);
        return _permitWithNonce(key, value, token.nonces(owner), deadline);
    }

    function _permitWithNonce(uint256 key, uint256 value, uint256 nonce, uint256 deadline)
        internal
        view
        returns (Permit memory)
    {
        return _permitFor(key, address(processor), value, nonce, deadline);
    }

    function _permitFor(uint256 key, address spender, uint256 value, uint256 nonce, uint256 deadline)
        internal
        view
        returns (Permit memory)
    {
        address owner = vm.addr(key);
        bytes32 structHash = keccak256(abi.encode(PERMIT_TYPEHASH, owner, spender, value, nonce, deadline));
        (uint8 v, bytes32 r, bytes32 s) =
            vm.sign(key, keccak256(abi.encodePacked(hex"1901", token.DOMAIN_SEPARATOR(), structHash)));
        return Permit(owner, value, nonce, deadline, v, r, s);
    }

    function _item(uint256 key, Authorization memory a, uint64 intentCode, uint256 settled)
        internal
        view
        returns (BatchItem memory)
    {
        (uint8 v, bytes32 r, bytes32 s) = _sign(key, a);
        return BatchItem({
            head: (uint256(uint160(a.from)) << 96) | (uint256(intentCode) << 32) | (uint256(a.kind) << 8) | v,
            amounts: (a.value << 128) | settled,
            window: (a.validAfter << 64) | a.validBefore,
            nonce: a.nonce,
            r: r,
            s: s
        });
    }

    /// @dev One group of `count` payers with keys of their own, codes counting from `firstCode`.
    function _group(uint64 payoutId, uint256 count, uint64 firstCode, uint256 cap, uint256 settled)
        internal
        returns (BatchGroup memory group)
    {
        group.payoutId = payoutId;
        group.items = new BatchItem[](count);
        for (uint256 i; i < count; ++i) {
            uint256 key = _key(firstCode + i);
            // Not just the cap: a payer whose balance drops to zero would earn a gas refund and flatter the figures.
            token.mint(vm.addr(key), 10 * cap);
            group.items[i] = _item(key, _authorization(vm.addr(key), cap), uint64(firstCode + i), settled);
        }
    }

    function _key(uint256 index) internal pure returns (uint256) {
        return uint256(keccak256(abi.encode("payer", index)));
    }

    function _one(BatchGroup memory group) internal pure returns (BatchGroup[] memory groups) {
        groups = new BatchGroup[](1);
        groups[0] = group;
    }

    function _one(uint64 payoutId, BatchItem memory item) internal pure returns (BatchGroup[] memory groups) {
        groups = new BatchGroup[](1);
        groups[0].payoutId = payoutId;
        groups[0].items = new BatchItem[](1);
        groups[0].items[0] = item;
    }

    function _settle(BatchGroup[] memory groups) internal returns (bytes memory) {
        vm.prank(operator);
        return processor.settleBatch(address(token), groups);
    }

    function _processorBalance() internal view returns (uint256) {
        return token.balanceOf(address(processor));
    }
}
