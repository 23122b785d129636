// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Authorization, AuthorizationKind, BatchItem, ItemCode} from "../src/PaymentTypes.sol";
import {Fixture} from "./Fixture.sol";
import {MockUSDC} from "./mocks/MockUSDC.sol";

/// @dev Signatures that must not pay, each tried as a single payment and as an item of a batch.
contract SignaturesTest is Fixture {
    uint256 private constant ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141;

    function _refused(Authorization memory a, uint8 v, bytes32 r, bytes32 s, ItemCode code, string memory words)
        internal
    {
        uint256 before = token.balanceOf(a.from);
        vm.prank(operator);
        vm.expectRevert(abi.encodeWithSelector(PullFailed.selector, abi.encodeWithSignature("Error(string)", words)));
        processor.payWithSignature(address(token), 9, PLAIN, a, v, r, s);
        BatchItem memory item = _item(PAYER_KEY, a, 9, a.value);
        item.head = (item.head >> 8 << 8) | v;
        (item.r, item.s) = (r, s);
        assertEq(uint8(_settle(_one(PLAIN, item))[0]), uint8(code));
        assertEq(token.balanceOf(a.from), before);
        assertFalse(processor.isSettled(9));
    }

    function test_highS() public {
        Authorization memory a = _authorization(payer, 100);
        (uint8 v, bytes32 r, bytes32 s) = _sign(PAYER_KEY, a);
        bytes32 high = bytes32(ORDER - uint256(s));
        _refused(a, v == 27 ? 28 : 27, r, high, ItemCode.PullRefused, "FiatTokenV2: invalid signature");
    }

    function test_vZeroOrOne() public {
        Authorization memory a = _authorization(payer, 100);
        (uint8 v, bytes32 r, bytes32 s) = _sign(PAYER_KEY, a);
        _refused(a, v - 27, r, s, ItemCode.PullRefused, "FiatTokenV2: invalid signature");
    }

    function test_wrongChain() public {
        Authorization memory a = _authorization(payer, 100);
        (uint8 v, bytes32 r, bytes32 s) = _sign(PAYER_KEY, a);
        vm.chainId(999);
        _refused(a, v, r, s, ItemCode.PullRefused, "FiatTokenV2: invalid signature");
    }

    function test_wrongDomain() public {
        Authorization memory a = _authorization(payer, 100);
        bytes32 domain = new MockUSDC(6).DOMAIN_SEPARATOR();
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(PAYER_KEY, _digest(a, address(processor), domain));
        _refused(a, v, r, s, ItemCode.PullRefused, "FiatTokenV2: invalid signature");
    }

    function test_anotherSigner() public {
        Authorization memory a = _authorization(payer, 100);
        (uint8 v, bytes32 r, bytes32 s) = _sign(PAYER_KEY + 1, a);
        _refused(a, v, r, s, ItemCode.PullRefused, "FiatTokenV2: invalid signature");
    }

    function test_anotherReceiver() public {
        Authorization memory a = _authorization(payer, 100);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(PAYER_KEY, _digest(a, merchant));
        _refused(a, v, r, s, ItemCode.PullRefused, "FiatTokenV2: invalid signature");
    }

    function test_theOtherKindOfAuthorization() public {
        Authorization memory a = _authorization(payer, 100);
        (uint8 v, bytes32 r, bytes32 s) = _sign(PAYER_KEY, a);
        a.kind = AuthorizationKind.Receive;
        _refused(a, v, r, s, ItemCode.PullRefused, "FiatTokenV2: invalid signature");
    }

    function test_moreThanWasSigned() public {
        Authorization memory a = _authorization(payer, 100);
        (uint8 v, bytes32 r, bytes32 s) = _sign(PAYER_KEY, a);
        a.value = 101;
        _refused(a, v, r, s, ItemCode.PullRefused, "FiatTokenV2: invalid signature");
    }

    function test_replay() public {
        Authorization memory a = _authorization(payer, 100);
        (uint8 v, bytes32 r, bytes32 s) = _sign(PAYER_KEY, a);
        vm.prank(operator);
        processor.payWithSignature(address(token), 8, PLAIN, a, v, r, s);
        _refused(a, v, r, s, ItemCode.AuthorizationUsed, "FiatTokenV2: authorization is used or canceled");
    }

    function test_expiredFromTheVerySecond() public {
        Authorization memory a = _authorization(payer, 100);
        (uint8 v, bytes32 r, bytes32 s) = _sign(PAYER_KEY, a);
        vm.warp(a.validBefore);
        _refused(a, v, r, s, ItemCode.Expired, "FiatTokenV2: authorization is expired");
        vm.warp(a.validBefore - 1);
        assertEq(uint8(_settle(_one(PLAIN, _item(PAYER_KEY, a, 9, 100)))[0]), uint8(ItemCode.Settled));
    }

    function test_notYetValidUpToTheVerySecond() public {
        Authorization memory a = _authorization(payer, 100);
        a.validAfter = block.timestamp;
        (uint8 v, bytes32 r, bytes32 s) = _sign(PAYER_KEY, a);
        _refused(a, v, r, s, ItemCode.NotYetValid, "FiatTokenV2: authorization is not yet valid");
        vm.warp(block.timestamp + 1);
        assertEq(uint8(_settle(_one(PLAIN, _item(PAYER_KEY, a, 9, 100)))[0]), uint8(ItemCode.Settled));
    }
}
