// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Authorization, ItemCode} from "../src/PaymentTypes.sol";
import {IDirectBatch} from "../src/interfaces/IDirectBatch.sol";
import {Fixture} from "./Fixture.sol";

/// @dev Direct payments: batches are packed here, by hand, as `IDirectBatch` describes them.
abstract contract DirectFixture is Fixture {
    uint32 internal constant CALL_GAS = 200_000;
    uint256 internal constant WALLET_GAS = 500_000;
    uint64 internal constant PAYOUT = 77;

    IDirectBatch internal direct;

    function setUp() public virtual override {
        super.setUp();
        direct = IDirectBatch(deployCode(_artifact("DirectBatch")));
    }

    function _packed(Authorization memory a, uint64 code, uint16 length, bytes memory signature)
        internal
        pure
        returns (bytes memory)
    {
        return abi.encodePacked(
            a.from, uint96(a.value), uint40(a.validAfter), uint40(a.validBefore), code, length, a.nonce, signature
        );
    }

    /// @dev Signed by a key, to `wallet`.
    function _keyItem(uint256 key, Authorization memory a, address wallet, uint64 code)
        internal
        view
        returns (bytes memory)
    {
        return _compact(key, a, _digest(a, wallet), code);
    }

    function _compact(uint256 key, Authorization memory a, bytes32 digest, uint64 code)
        internal
        pure
        returns (bytes memory)
    {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, digest);
        return _packed(a, code, 0, abi.encodePacked(r, s | bytes32(uint256(v - 27) << 255)));
    }

    function _walletItem(Authorization memory a, uint64 code, bytes memory signature)
        internal
        pure
        returns (bytes memory)
    {
        return _packed(a, code, uint16(signature.length), signature);
    }

    function _head(address wallet, uint64 payoutId, uint16 count) internal pure returns (bytes memory) {
        return abi.encodePacked(wallet, payoutId, count);
    }

    function _to(address wallet, bytes memory item) internal pure returns (bytes memory) {
        return abi.encodePacked(_head(wallet, PAYOUT, 1), item);
    }

    /// @dev A fresh authorization of the payer over `value`, signed to `wallet`.
    function _paid(address wallet, uint256 value) internal returns (bytes memory) {
        return _keyItem(PAYER_KEY, _authorization(payer, value), wallet, 9);
    }

    /// @dev Called by somebody without any role.
    function _direct(bytes memory groups) internal returns (bytes memory) {
        vm.prank(stranger);
        return direct.settle(address(token), CALL_GAS, groups);
    }

    function _code(bytes memory codes, uint256 index) internal pure returns (ItemCode) {
        return ItemCode(uint8(codes[index]));
    }

    function _expect(bytes memory codes, uint256 index, ItemCode code) internal pure {
        assertEq(uint8(codes[index]), uint8(code), vm.toString(index));
    }
}
